//! Writes the HTML page: one file without other resources, light or dark like the reader's screen.

use std::fmt::Write;

use tensorwrapper_notation::sentence::counted;

use super::drawing::{escaped, memory, tree};
use super::explanation::Explanation;
use super::table::{COLUMNS, MEANINGS};
use crate::exec::describe::Class;

const STYLE: &str = include_str!("page.css");

impl Explanation {
    /// The plan as an HTML page: summary, memory from step to step, tree of contractions, and table. It is one file without
    /// other resources, light or dark like the reader's screen.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let page = Context::cpu().prepare("ij,jk,kl->il", &[&a, &a, &a])?.explain().html();
    /// assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("http"));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn html(&self) -> String {
        let mut text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>A plan of {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Plan</h1>\n<dl class=\"summary\">\n",
            counted(self.steps.len(), "step")
        );
        for (name, value) in self.summary() {
            let _ = writeln!(text, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(&value));
        }
        text.push_str("</dl>\n");
        self.legend(&mut text);
        let _ = writeln!(
            text,
            "<section>\n<h2>Memory</h2>\n<p>Bytes of results, intermediates and work space while each step runs; the dashed line is what the run takes.</p>\n{}\n</section>",
            memory(self)
        );
        text.push_str("<section>\n<h2>Contraction tree</h2>\n");
        text.push_str(&match tree(self) {
            Some(tree) => format!(
                "<p>Squares are the tensors given, circles are steps, larger with more operations; lines are wider with more bytes. The result is at the top.</p>\n<div class=\"scroll\" tabindex=\"0\">{tree}</div>\n"
            ),
            None => "<p>There are too many steps to be drawn.</p>\n".to_string(),
        });
        text.push_str("</section>\n");
        self.steps_table(&mut text);
        text.push_str("</main>\n</body>\n</html>\n");
        text
    }

    /// The colours of the classes that there are.
    fn legend(&self, text: &mut String) {
        let mut classes: Vec<Class> = Vec::new();
        for step in &self.steps {
            if !classes.contains(&step.class) {
                classes.push(step.class);
            }
        }
        text.push_str("<ul class=\"legend\">\n");
        for class in classes {
            let _ = writeln!(
                text,
                "<li><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><circle class=\"{class}\" cx=\"6\" cy=\"6\" r=\"6\"/></svg> {class}</li>"
            );
        }
        text.push_str("</ul>\n");
    }

    fn steps_table(&self, text: &mut String) {
        text.push_str("<section>\n<h2>Steps</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>");
        for (name, meaning) in COLUMNS.iter().zip(MEANINGS) {
            let _ = write!(text, "<th scope=\"col\" title=\"{}\">{name}</th>", escaped(meaning));
        }
        text.push_str("</tr></thead>\n<tbody>\n");
        for (row, step) in self.rows() {
            text.push_str("<tr>");
            for (n, cell) in row.iter().enumerate() {
                let cell = escaped(cell);
                let _ = match COLUMNS[n] {
                    "equation" => write!(text, "<td class=\"equation\"><code>{cell}</code></td>"),
                    "class" => write!(text, "<td class=\"word\">{cell}</td>"),
                    "of peak" => {
                        let part = (100.0 * self.share(step)).clamp(0.0, 100.0);
                        write!(text, "<td><span class=\"bar\" style=\"--part:{part:.1}%\">{cell}</span></td>")
                    }
                    _ => write!(text, "<td>{cell}</td>"),
                };
            }
            text.push_str("</tr>\n");
        }
        text.push_str("</tbody>\n</table></div>\n</section>\n");
    }
}
