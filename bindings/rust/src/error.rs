// SPDX-License-Identifier: BSD-2-Clause
use std::{fmt, io};

/// Why a call was refused.
///
/// ```
/// let t = dtrace::Tracer::open(&[])?;
/// match t.enable("BEGIN {\n    nonsense }", &[]) {
///     Err(dtrace::Error::Compile { line, .. }) => assert_eq!(line, Some(2)),
///     other => panic!("{other:?}"),
/// }
/// let error = t.set("bufsiz", "4m").unwrap_err();
/// assert_eq!(error.to_string(), "option bufsiz: Invalid option name (did you mean `bufsize`?)");
/// # Ok::<(), dtrace::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// This process may not trace: doc/RIGHTS.md says what it needs.
    Access {
        /// What the library says.
        message: String,
    },
    /// A program is wrong.
    Compile {
        /// What is wrong.
        message: String,
        /// The line, from 1; `None`: the error has no place.
        line: Option<u32>,
        /// The column, from 1.
        column: Option<u32>,
        /// The line with a mark under the place, or an empty string.
        excerpt: String,
    },
    /// An option is unknown or does not take a value.
    Option {
        /// The option.
        name: String,
        /// What is wrong with it.
        message: String,
        /// What may have been meant, or an empty string.
        hint: String,
    },
    /// The trace has ended, and all events were read: a tracer runs one trace.
    Ended,
    /// The trace has not begun.
    NotStarted,
    /// Text that goes to the library has a NUL in it.
    Nul(String),
    /// A value has another type than the one that was asked for.
    Type {
        /// What was asked for.
        wanted: &'static str,
        /// What the value is.
        found: String,
    },
    /// There is no value or key of this number.
    Index(usize),
    /// Everything else that the library refuses.
    Library {
        /// The number that the library has for it.
        errno: i32,
        /// What the library says.
        message: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Access { message } | Error::Library { message, .. } => f.write_str(message),
            Error::Compile { message, line, excerpt, .. } => {
                match line {
                    Some(line) if !message.starts_with("line ") => write!(f, "line {line}: {message}")?,
                    _ => f.write_str(message)?,
                }
                if excerpt.is_empty() { Ok(()) } else { write!(f, "\n{excerpt}") }
            }
            Error::Option { name, message, hint } if hint.is_empty() => write!(f, "option {name}: {message}"),
            Error::Option { name, message, hint } => write!(f, "option {name}: {message} ({hint})"),
            Error::Ended => f.write_str("the trace has ended"),
            Error::NotStarted => f.write_str("the trace has not begun"),
            Error::Nul(text) => write!(f, "{text:?} has a NUL in it"),
            Error::Type { wanted, found } => write!(f, "the value is not {wanted}: {found}"),
            Error::Index(n) => write!(f, "there is no value {n}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(e: Error) -> io::Error {
        let kind = match &e {
            Error::Access { .. } => io::ErrorKind::PermissionDenied,
            Error::Compile { .. } | Error::Option { .. } | Error::Nul(_) => io::ErrorKind::InvalidInput,
            Error::Type { .. } | Error::Index(_) => io::ErrorKind::InvalidData,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, e)
    }
}

/// Line and column of an excerpt, whose first line is "  NAME:LINE:COLUMN | TEXT".
pub(crate) fn place(excerpt: &str) -> Option<(u32, u32)> {
    let (head, _) = excerpt.lines().next()?.split_once(" |")?;
    let mut parts = head.rsplit(':');
    let (column, line) = (parts.next()?, parts.next()?);
    Some((line.parse().ok()?, column.parse().ok()?))
}
