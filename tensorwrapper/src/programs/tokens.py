"""Counts the tokens of each program and of its twin: names, numbers, strings and signs, without comments."""

import io
import re
import tokenize
from pathlib import Path

FOLDER = Path(__file__).parent
KINDS = {tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP}
RUST = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*!?|\d[\w.]*(?<!\.)|::|->|=>|\.\.=|\.\.|[-+*/=<>!]=|&&|\|\||[^\s\w]')


def of_python(text):
    return sum(token.type in KINDS for token in tokenize.generate_tokens(io.StringIO(text).readline))


def of_rust(text):
    return len(RUST.findall(re.sub(r"//.*", "", text)))


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.rs")):
        twin = path.with_suffix(".py")
        if twin.exists():
            print(f"{path.stem:<10} {of_rust(path.read_text()):>5} in Rust, {of_python(twin.read_text()):>5} in Python")
