//! Fields of JSON, each with a sentence for what is wrong with it. Knows nothing of networks.

use std::path::Path;

use serde_json::Value;

/// A value, and how messages call the place where it stands.
#[derive(Clone)]
pub(crate) struct Field<'j> {
    value: &'j Value,
    place: String,
}

/// The JSON of a file.
pub(crate) fn read(file: &Path) -> Result<Value, String> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("`{shown}` cannot be read: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("`{shown}` is no JSON: {error}"))
}

impl<'j> Field<'j> {
    /// The whole of a file.
    pub(crate) fn whole(value: &'j Value, file: &Path) -> Field<'j> {
        Field { value, place: format!("`{}`", file.display()) }
    }

    fn wrong<T>(&self, what: &str) -> Result<T, String> {
        let mut found: String = self.value.to_string().chars().take(40).collect();
        if found.len() < self.value.to_string().len() {
            found.push('…');
        }
        Err(format!("{} is {found}, which is no {what}", self.place))
    }

    /// Whether an object has a field, and it is not null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.value.get(name).is_some_and(|value| !value.is_null())
    }

    /// A field that an object must have.
    pub(crate) fn field(&self, name: &str) -> Result<Field<'j>, String> {
        match self.value.get(name) {
            Some(value) => Ok(Field { value, place: format!("`{name}` of {}", self.place) }),
            None if self.value.is_object() => Err(format!("{} has no field `{name}`", self.place)),
            None => self.wrong("object"),
        }
    }

    /// A field that may be absent or null.
    pub(crate) fn optional(&self, name: &str) -> Result<Option<Field<'j>>, String> {
        if self.has(name) { self.field(name).map(Some) } else { Ok(None) }
    }

    /// The elements of a list.
    pub(crate) fn list(&self) -> Result<Vec<Field<'j>>, String> {
        let Some(list) = self.value.as_array() else { return self.wrong("list") };
        let element = |(n, value)| Field { value, place: format!("element {n} of {}", self.place) };
        Ok(list.iter().enumerate().map(element).collect())
    }

    /// Names and values of an object.
    pub(crate) fn table(&self) -> Result<Vec<(&'j str, Field<'j>)>, String> {
        let Some(table) = self.value.as_object() else { return self.wrong("table") };
        let entry = |(name, value): (&'j String, &'j Value)| {
            (name.as_str(), Field { value, place: format!("`{name}` of {}", self.place) })
        };
        Ok(table.iter().map(entry).collect())
    }

    /// A whole number that is not negative.
    pub(crate) fn count(&self) -> Result<usize, String> {
        match self.value.as_u64().and_then(|value| usize::try_from(value).ok()) {
            Some(count) => Ok(count),
            None => self.wrong("whole number from 0 on"),
        }
    }

    /// Whole numbers that are not negative.
    pub(crate) fn counts(&self) -> Result<Vec<usize>, String> {
        self.list()?.iter().map(Field::count).collect()
    }

    /// A number.
    pub(crate) fn number(&self) -> Result<f64, String> {
        self.value.as_f64().map_or_else(|| self.wrong("number"), Ok)
    }

    /// Numbers.
    pub(crate) fn numbers(&self) -> Result<Vec<f64>, String> {
        self.list()?.iter().map(Field::number).collect()
    }

    /// A text.
    pub(crate) fn text(&self) -> Result<&'j str, String> {
        self.value.as_str().map_or_else(|| self.wrong("text"), Ok)
    }

    /// A sentence about the place.
    pub(crate) fn refuse(&self, what: impl std::fmt::Display) -> String {
        format!("{} {what}", self.place)
    }
}
