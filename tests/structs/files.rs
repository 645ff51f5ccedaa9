//! Structs as folders of files.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("tensorwrapper-structs-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn with(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(self.with(folder)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_is_saved_is_loaded() -> Outcome {
    let folder = Folder::new();
    let saved = network::<Complex<f32>>();
    saved.save(folder.with("network"))?;
    let expected = [
        "box.0.npy",
        "layers.0.bias.npy",
        "layers.0.weight.npy",
        "layers.1.weight.npy",
        "scales.0.npy",
        "scales.1.npy",
        "tensors.txt",
    ];
    assert_eq!(folder.names("network"), expected);
    assert_eq!(Network::<Complex<f32>>::load(folder.with("network"))?, saved);
    // Again, with fewer tensors: nothing of the first remains.
    let mut fewer = saved.clone();
    fewer.layers.clear();
    fewer.save(folder.with("network"))?;
    assert_eq!(folder.names("network").len(), 4);
    assert_eq!(Network::<Complex<f32>>::load(folder.with("network"))?, fewer);
    assert_eq!(folder.names(""), ["network"]);
    let loaded = {
        amplitudes(2, 0.1).save(folder.with("amplitudes"))?;
        Amplitudes::<Const<2>, Dyn>::load(folder.with("amplitudes"))?
    };
    assert_eq!(loaded, Amplitudes { label: String::new(), ..amplitudes(2, 0.1) });
    Ok(())
}

#[test]
fn folders_with_anything_else_are_left_as_they_are() -> Outcome {
    let folder = Folder::new();
    fs::create_dir(folder.with("empty"))?;
    amplitudes(2, 0.1).save(folder.with("empty"))?;
    fs::write(folder.with("empty/notes.md"), "of the user")?;
    let error = amplitudes(2, 0.2).save(folder.with("empty")).unwrap_err().to_string();
    assert!(error.ends_with("the folder holds `notes.md`, which is no tensor that was saved there"), "{error}");
    assert_eq!(Amplitudes::<Const<2>, Dyn>::load(folder.with("empty"))?.t1, amplitudes(2, 0.1).t1);
    fs::write(folder.with("file"), "of the user")?;
    assert!(amplitudes(2, 0.2).save(folder.with("file")).is_err());
    assert!(amplitudes(2, 0.2).save(folder.with("missing/folder")).is_err());
    assert_eq!(folder.names(""), ["empty", "file"]);
    Ok(())
}

#[test]
fn other_structs_are_refused_by_name() -> Outcome {
    let folder = Folder::new();
    let error = |folder: PathBuf| Network::<f64>::load(folder).unwrap_err().to_string();
    assert!(error(folder.with("missing")).contains("tensors.txt"));
    let with = |name: &str, change: &dyn Fn(&mut Network<f64>)| {
        let mut changed = network();
        change(&mut changed);
        changed.save(folder.with(name)).unwrap();
        folder.with(name)
    };
    amplitudes(2, 0.1).save(folder.with("amplitudes"))?;
    assert!(error(folder.with("amplitudes")).ends_with("no list `layers` was saved"));
    let single = with("types", &|_| {});
    let found = Network::<f32>::load(&single).unwrap_err().to_string();
    assert!(found.contains("layers.0.weight") && found.contains("f64"), "{found}");
    fs::remove_file(single.join("layers.1.weight.npy"))?;
    assert!(error(single).contains("layers.1.weight.npy"));
    let more = with("more", &|_| {});
    let list = fs::read_to_string(more.join("tensors.txt"))?;
    fs::write(more.join("tensors.txt"), list.clone() + "momentum\n")?;
    assert!(error(more.clone()).ends_with("a tensor `momentum` was saved, for which the struct has no field"));
    fs::write(more.join("tensors.txt"), list.replace("scales: 2", "scales: 3"))?;
    assert!(error(more.clone()).ends_with("`scales` was saved with 3 parts, but the struct has 2"));
    fs::write(more.join("tensors.txt"), list.replace("scales: 2", "scales: two"))?;
    assert!(error(more).ends_with("`scales: two` is no line of a list of tensors"));
    Ok(())
}
