//! `.npy` files: written and read back, read from NumPy's own bytes, and broken in every way.

use std::fs;
use std::path::{Path, PathBuf};

use num_complex::Complex;
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::tensor::npy::{Header, read_any};
use crate::*;

/// A folder of its own for each test, gone when the test ends.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new(test: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-npy-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn with(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.file(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// A file of version 1.0 with this description and these elements.
fn npy(head: &str, elements: &[u8]) -> Vec<u8> {
    let mut text = head.as_bytes().to_vec();
    text.resize((10 + text.len() + 1).next_multiple_of(64) - 11, b' ');
    text.push(b'\n');
    [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], &text, elements].concat()
}

fn described(descr: &str, fortran: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    npy(&format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"), elements)
}

/// What is said of a file, without its name, which must stand first.
fn fault(path: &Path) -> String {
    let error = AnyTensor::read_npy(path).expect_err("this file should have been refused");
    assert!(matches!(error.kind(), ErrorKind::Io { path: named, .. } if named == path), "{error}");
    let sentence = error.to_string();
    assert!(!sentence.contains('\n'), "{sentence}");
    sentence.strip_prefix(&format!("{}: ", path.display())).expect("the file is named first").to_string()
}

#[test]
fn written_and_read() {
    let folder = Folder::new("written");
    fn there_and_back<T: Element>(path: &Path, extents: &[usize]) {
        let mut n = 0.0;
        let next = |_: &[usize]| {
            n += 0.5;
            T::from_complex(Complex::new(n, -n))
        };
        let t = Tensor::<T>::from_fn(extents, next).unwrap();
        t.write_npy(path).unwrap();
        assert_eq!(Tensor::<T>::read_npy(path).unwrap(), t);
        let any = AnyTensor::read_npy(path).unwrap();
        assert_eq!(any, AnyTensor::from(t));
        any.write_npy(path).unwrap();
        assert_eq!(AnyTensor::read_npy(path).unwrap(), any);
    }
    fn stored_there_and_back<T: Stored>(path: &Path, t: &Tensor<T>) {
        t.view().write_npy(path).unwrap();
        assert_eq!(&Tensor::<T>::read_npy(path).unwrap(), t);
    }
    let path = folder.file("t.npy");
    for extents in [&[][..], &[3], &[2, 3, 4], &[0], &[2, 0, 3], &[1; 16]] {
        there_and_back::<f32>(&path, extents);
        there_and_back::<f64>(&path, extents);
        there_and_back::<Complex<f32>>(&path, extents);
        there_and_back::<Complex<f64>>(&path, extents);
        let whole = Tensor::<f64>::from_fn(extents, |i| i.iter().sum::<usize>() as f64 - 1.0).unwrap();
        stored_there_and_back(&path, &whole.map(|x| x as i32).unwrap());
        // Numbers that take all bytes of their type.
        stored_there_and_back(&path, &whole.map(|x| (x as i64) << 40 | 258).unwrap());
        stored_there_and_back(&path, &whole.map(|x| 200 + x as u8).unwrap());
        stored_there_and_back(&path, &whole.greater(0.0).unwrap());
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "nothing is left beside the file");
}

#[test]
fn the_bytes_are_as_the_format_says() {
    let folder = Folder::new("bytes");
    let t = Tensor::<f64, _>::from_vec((3, 1), vec![1.0, 2.0, 3.0]).unwrap();
    let path = folder.file("t.npy");
    t.view().permute(&[1, 0]).unwrap().slice(1, 1..).unwrap().write_npy(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    assert_eq!((bytes.len() - 16) % 16, 0);
    assert!(String::from_utf8_lossy(&bytes).contains("'shape': (1, 2), }"), "{}", String::from_utf8_lossy(&bytes));
    assert_eq!(bytes[bytes.len() - 16..], [2.0f64.to_ne_bytes(), 3.0f64.to_ne_bytes()].concat());
}

#[test]
fn byte_and_element_orders() {
    let folder = Folder::new("orders");
    let numbers: Vec<f64> = (0..6).map(f64::from).collect();
    let big: Vec<u8> = numbers.iter().flat_map(|x| x.to_be_bytes()).collect();
    let little: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let singles: Vec<u8> = numbers.iter().flat_map(|x| (*x as f32).to_be_bytes()).collect();
    let read = |descr: &str, fortran: &str, shape: &str, bytes: &[u8]| {
        AnyTensor::read_npy(folder.with("t.npy", &described(descr, fortran, shape, bytes))).unwrap()
    };
    let matrix: AnyTensor = Tensor::from_slice([2, 3], &numbers).unwrap().into();
    assert_eq!(read("'<f8'", "False", "(2, 3)", &little), matrix);
    assert_eq!(read("'>f8'", "False", "(2, 3)", &big), matrix);
    let turned = Tensor::from_slice([2, 3], &[0.0, 2.0, 4.0, 1.0, 3.0, 5.0]).unwrap();
    assert_eq!(read("'<f8'", "True", "(2, 3)", &little), turned.into());
    let cube = read("'>f4'", "True", "(1, 2, 3)", &singles).into_tensor::<f32>().unwrap();
    assert_eq!(cube.as_slice(), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    let complex = read("'>c16'", "True", "(3,)", &big).into_tensor::<Complex<f64>>().unwrap();
    assert_eq!(complex[[1]], Complex::new(2.0, 3.0));
    let complex = read("'>c8'", "False", "(3,)", &singles).into_tensor::<Complex<f32>>().unwrap();
    assert_eq!(complex[[2]], Complex::new(4.0, 5.0));
}

#[test]
fn later_versions_of_the_format() {
    let folder = Folder::new("versions");
    for version in [2, 3] {
        let one = described("'<f8'", "False", "(1,)", &1.5f64.to_le_bytes());
        let bytes = [&one[..6], &[version, 0], &one[8..10], &[0, 0], &one[10..]].concat();
        assert_eq!(Tensor::<f64>::read_npy(folder.with("t.npy", &bytes)).unwrap().as_slice(), [1.5]);
    }
}

#[test]
fn typed_reading_checks_first() {
    let folder = Folder::new("typed");
    let path = folder.with("t.npy", &described("'<f8'", "False", "(2, 3)", &[0; 48]));
    let named = path.display();
    let error = Tensor::<f32>::read_npy(&path).unwrap_err();
    assert_eq!(error.to_string(), format!("{named}: elements are `f64` where `f32` is needed"));
    let error = Tensor::<f64, Shape![3, _]>::read_npy(&path).unwrap_err();
    assert_eq!(error.to_string(), format!("{named}: axis 0 has extent 2, but 3 by its type"));
    assert_eq!(Tensor::<f64, Shape![2, _]>::read_npy(&path).unwrap().extents(), [2, 3]);
}

#[test]
fn broken_files_are_told_apart() {
    let folder = Folder::new("broken");
    let say = |bytes: &[u8]| fault(&folder.with("t.npy", bytes));
    let good = described("'<f8'", "False", "(2, 3)", &[0; 48]);
    let shaped = |shape: &str| say(&described("'<f8'", "False", shape, &[0; 48]));

    assert!(fault(&folder.file("absent.npy")).contains("No such file"));
    assert_eq!(fault(&folder.0), "this is a directory, not an .npy file");
    assert_eq!(say(b""), "this is not an .npy file: it does not begin like one");
    assert_eq!(say(b"PK\x03\x04 and so on"), "this is not an .npy file: it does not begin like one");
    assert_eq!(say(b"\x93NUMPY\x07\x00\x10\x00"), "version 7.0 of the .npy format is not known");
    assert_eq!(say(&good[..9]), "the file is cut short: it ends within its header");
    assert_eq!(say(&good[..50]), "the file is cut short: it ends within its header");
    assert_eq!(say(&good[..good.len() - 1]), "the file is cut short: extents [2, 3] of f64 need 48 bytes, but it holds 47");
    assert_eq!(
        say(&[&good[..], b"abc"].concat()),
        "the file is too long: extents [2, 3] of f64 need 48 bytes, but 3 more follow"
    );
    assert_eq!(
        shaped("(1000000, 1000000)"),
        "the file is cut short: extents [1000000, 1000000] of f64 need 8000000000000 bytes, but it holds 48"
    );
    for absurd in ["(9999999999999999999, 9999999999999999999)", "(4294967296, 4294967296, 0)", "(99999999999999999999,)"] {
        assert_eq!(shaped(absurd), "the header is broken: its extents are larger than any file");
    }
    assert!(shaped("(0, 9999999999999999999)").ends_with("has more elements than memory can address"));
    assert!(shaped("(-2, 3)").starts_with("the header is broken"));
    assert!(shaped("(2.5, 3)").starts_with("the header is broken"));
    assert!(shaped("6").starts_with("the header is broken"));
    assert!(shaped("(True, 6)").starts_with("the header is broken"));
    assert!(shaped("(0x6,)").starts_with("the header is broken"));
    assert!(shaped(&"(".repeat(30_000)).starts_with("the header is broken: its brackets"));
    let long = [b"\x93NUMPY\x02\x00", &u32::MAX.to_le_bytes()[..], &good[10..]].concat();
    assert_eq!(say(&long), "the header is broken: it claims to be 4294967295 bytes long");
    assert!(say(&npy("{'descr': '<f8'}", &[])).contains("missing key"));
    assert!(say(&npy("[1, 2]", &[])).starts_with("the header is broken"));
}

#[test]
fn other_element_types_are_named() {
    let folder = Folder::new("types");
    for descr in ["'<i2'", "'|i1'", "'<f2'", "'<U3'", "'|O'", "'<c32'", "'<M8[ns]'", "[('a', '<f8'), ('b', '<f4', (2, 2))]"] {
        let sentence = fault(&folder.with("t.npy", &described(descr, "False", "(2,)", &[0; 16])));
        let expected = "but tensors hold 'f4', 'f8', 'c8', 'c16', 'i4', 'i8', 'u1' or 'b1'";
        assert!(sentence.starts_with("elements are of NumPy's type") && sentence.ends_with(expected), "{descr}: {sentence}");
    }
    let path = folder.with("t.npy", &described("'<i8'", "False", "(2,)", &[1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0]));
    let sentence = "elements are of NumPy's type 'i8', but an `AnyTensor` holds 'f4', 'f8', 'c8' or 'c16'; `Tensor::<i64>::read_npy` reads this file";
    assert_eq!(fault(&path), sentence);
    assert_eq!(Tensor::<i64>::read_npy(&path).unwrap().as_slice(), [1, 258]);
    let error = Tensor::<f64>::read_npy(&path).unwrap_err().to_string();
    assert!(error.ends_with("elements are `i64` where `f64` is needed"), "{error}");
    assert!(fault(&folder.with("t.npy", &described("'<f7'", "False", "(2,)", &[0; 14]))).starts_with("the header is broken"));
}

/// Any byte of the head changed, any length cut: a tensor or a sentence, never a panic.
#[test]
fn corrupted_bytes_never_panic() {
    let path = Path::new("corrupted.npy");
    let good = described("'<c16'", "True", "(2, 3)", &[7; 96]);
    let mut random = StdRng::seed_from_u64(5);
    let interesting = *b"0189(){}[]'\",:.-+_\\ \nLxej\x00\xff";
    for round in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..random.random_range(1..5) {
            let at = random.random_range(0..good.len().min(100));
            let byte = if random.random() { random.random() } else { interesting[random.random_range(0..interesting.len())] };
            match random.random_range(0..3) {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at.min(bytes.len() - 1))),
            }
        }
        if round % 4 == 0 {
            bytes.truncate(random.random_range(0..bytes.len()));
        }
        match Header::read(path, &bytes[..], bytes.len() as u64).and_then(|header| read_any(path, header)) {
            Ok(read) => assert!(read.len() * read.dtype().size() < bytes.len()),
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Io { path: named, .. } if named == path), "{error}");
                let sentence = error.to_string();
                assert!(sentence.len() < 250 && !sentence.contains(char::is_control), "{sentence:?}");
            }
        }
    }
}

#[test]
fn faults_of_writing() {
    let folder = Folder::new("writing");
    let t = Tensor::<f64, _>::zeros([2]).unwrap();
    let missing = folder.file("no").join("t.npy");
    assert!(matches!(t.write_npy(&missing).unwrap_err().kind(), ErrorKind::Io { path, .. } if *path == missing));
    assert!(t.write_npy("").is_err());
    assert!(t.write_npy("/").is_err());
    let taken = folder.file("folder");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("file"), "").unwrap();
    assert!(t.write_npy(&taken).is_err());
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "nothing is left of what failed");
}
