//! Names of tensors in a struct: `layers.0.weight`.

/// Where a tensor is in a struct.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Name(String);

impl Name {
    /// Goes to a field, or to an element of a list.
    pub fn within<R>(&mut self, part: &str, then: impl FnOnce(&mut Name) -> R) -> R {
        let len = self.0.len();
        if len > 0 {
            self.0.push('.');
        }
        self.0.push_str(part);
        let result = then(self);
        self.0.truncate(len);
        result
    }

    pub(super) fn at<R>(&mut self, n: usize, then: impl FnOnce(&mut Name) -> R) -> R {
        self.within(&n.to_string(), then)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}
