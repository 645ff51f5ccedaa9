//! What the documentation explains of the compiler's words is what the compiler says, in a case of `ui-tests/`.

use std::fs;
use std::path::Path;

use super::ROOT;

/// The first column of the table in `tensorwrapper/src/messages.rs`.
fn explained() -> Vec<String> {
    let text = fs::read_to_string(Path::new(ROOT).join("tensorwrapper/src/messages.rs")).expect("the page is in the repository");
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | ")?.split_once(" | "));
    rows.map(|(said, _)| said.to_string()).filter(|said| said != "rustc says").collect()
}

/// What the compiler says of every wrong file, with the names that their authors know.
fn said() -> Vec<String> {
    let files = fs::read_dir(Path::new(ROOT).join("ui-tests")).expect("the cases are in the repository");
    let paths = files.map(|file| file.expect("the folder can be read").path());
    let messages = paths.filter(|path| path.extension().is_some_and(|extension| extension == "stderr"));
    messages.map(|path| fs::read_to_string(path).expect("messages are text").replace("tensorwrapper::", "")).collect()
}

/// A row quotes one case: `;` stands between two of its messages, `…` for words that are left out.
#[test]
fn explained_messages_are_those_of_cases() {
    let (explained, said) = (explained(), said());
    assert!(explained.len() >= 9 && said.len() > 300, "{} rows, {} messages", explained.len(), said.len());
    let is_in = |row: &str, message: &String| {
        row.split("; ").all(|quoted| {
            let mut parts = quoted.split('…').map(str::trim);
            parts.try_fold(&message[..], |rest, part| Some(&rest[rest.find(part)? + part.len()..])).is_some()
        })
    };
    let unknown: Vec<_> = explained.iter().filter(|row| !said.iter().any(|message| is_in(row, message))).collect();
    assert!(unknown.is_empty(), "rows of the table that no file of `ui-tests/` shows: {unknown:#?}");
}
