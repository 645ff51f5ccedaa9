//! Every statement and every snippet of the pages that this library was designed after, under the headings of those pages.

#[path = "seeds/layout.rs"]
mod layout;
