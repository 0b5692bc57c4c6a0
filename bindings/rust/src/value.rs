// SPDX-License-Identifier: BSD-2-Clause
use crate::Error;
use std::collections::BTreeMap;
use std::fmt;

/// A probe's name in four parts, and its number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Probe {
    pub id: u32,
    pub provider: String,
    pub module: String,
    pub function: String,
    pub name: String,
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}:{}:{}", self.provider, self.module, self.function, self.name)
    }
}

/// A place in code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Its address, in the kernel or in a process.
    pub address: u64,
    /// Its name as DTrace prints it.
    pub symbol: String,
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&self.symbol)
    }
}

/// Part of a distribution.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bucket {
    /// The lowest number that belongs to it; `None`: there is no lower end.
    pub low: Option<i64>,
    /// The highest number that belongs to it; `None`: there is no upper end.
    pub high: Option<i64>,
    /// How many numbers were counted.
    pub count: i64,
}

/// What a probe recorded, a key of an aggregation, or its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Value {
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// A string; bytes that are not UTF-8 are replaced.
    Text(String),
    /// A struct, an array, memory.
    Bytes(Vec<u8>),
    /// An address, as of `sym()`.
    Address(Frame),
    /// A stack, as of `stack()` and `ustack()`.
    Stack(Vec<Frame>),
    /// The buckets of `quantize()` and its kind, in ascending order.
    Buckets(Vec<Bucket>),
    /// The numbers of `percentiles()` by name: "count", "p50" and so on.
    Percentiles(BTreeMap<String, i64>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Int(n) => fmt::Display::fmt(n, f),
            Value::Uint(n) => fmt::Display::fmt(n, f),
            Value::Text(s) => f.pad(s),
            Value::Bytes(b) => b.iter().try_for_each(|b| write!(f, "{b:02x}")),
            Value::Address(a) => a.fmt(f),
            Value::Stack(frames) => frames.iter().try_for_each(|a| writeln!(f, "{a}")),
            Value::Buckets(b) => write!(f, "{b:?}"),
            Value::Percentiles(p) => write!(f, "{p:?}"),
        }
    }
}

/// Types that a [`Value`] can be read as: integers, if the number fits, `String`, `Vec<u8>`, [`Frame`], `Vec<Frame>`,
/// `Vec<Bucket>`, and [`Value`] itself.
pub trait FromValue: Sized {
    /// The value as this type, or [`Error::Type`].
    fn from_value(value: &Value) -> Result<Self, Error>;
}

fn mismatch<T>(wanted: &'static str, value: &Value) -> Result<T, Error> {
    Err(Error::Type { wanted, found: format!("{value:?}") })
}

macro_rules! integers {
    ($($t:ident)*) => { $(
        impl FromValue for $t {
            fn from_value(value: &Value) -> Result<Self, Error> {
                let fits = match value {
                    Value::Int(n) => $t::try_from(*n).ok(),
                    Value::Uint(n) => $t::try_from(*n).ok(),
                    _ => None,
                };
                fits.map_or_else(|| mismatch(stringify!($t), value), Ok)
            }
        }
    )* };
}
integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! copies {
    ($($t:ty, $name:literal, $variant:ident;)*) => { $(
        impl FromValue for $t {
            fn from_value(value: &Value) -> Result<Self, Error> {
                match value {
                    Value::$variant(v) => Ok(v.clone()),
                    _ => mismatch($name, value),
                }
            }
        }
    )* };
}
copies! {
    String, "a string", Text;
    Vec<u8>, "bytes", Bytes;
    Frame, "an address", Address;
    Vec<Frame>, "a stack", Stack;
    Vec<Bucket>, "a distribution", Buckets;
    BTreeMap<String, i64>, "percentiles", Percentiles;
}

impl FromValue for Value {
    fn from_value(value: &Value) -> Result<Self, Error> {
        Ok(value.clone())
    }
}

fn nth<T: FromValue>(values: &[Value], n: usize) -> Result<T, Error> {
    T::from_value(values.get(n).ok_or(Error::Index(n))?)
}

/// A firing of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Which probe.
    pub probe: Probe,
    /// On which CPU.
    pub cpu: i32,
    /// When: nanoseconds of the monotonic clock.
    pub timestamp: u64,
    /// What the clause recorded.
    pub values: Vec<Value>,
    /// What dtrace would have printed.
    pub text: String,
}

impl Event {
    /// Value `n`, from 0, as a type: `let path: String = event.get(0)?`.
    pub fn get<T: FromValue>(&self, n: usize) -> Result<T, Error> {
        nth(&self.values, n)
    }
}

/// An element of an aggregation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// The aggregation without @; empty for the one without a name.
    pub name: String,
    /// The keys.
    pub keys: Vec<Value>,
    /// The value: a number, buckets or percentiles.
    pub value: Value,
}

impl Element {
    /// Key `n`, from 0, as a type: `let program: String = element.key(0)?`.
    pub fn key<T: FromValue>(&self, n: usize) -> Result<T, Error> {
        nth(&self.keys, n)
    }

    /// The value as a type: `let calls: i64 = element.get()?`.
    pub fn get<T: FromValue>(&self) -> Result<T, Error> {
        T::from_value(&self.value)
    }

    /// The buckets of a distribution; none if the value is something else.
    pub fn buckets(&self) -> &[Bucket] {
        match &self.value {
            Value::Buckets(b) => b,
            _ => &[],
        }
    }
}

/// How the elements of aggregations are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As they come.
    Any,
    /// By aggregation and value, or as the options `aggsort…` say.
    #[default]
    Sorted,
    /// By aggregation and key.
    Key,
    /// By aggregation and value.
    Value,
    /// The reverse of `Key`.
    KeyReversed,
    /// The reverse of `Value`.
    ValueReversed,
    /// By key, all aggregations together.
    KeyVar,
    /// By value, all aggregations together.
    ValueVar,
    /// The reverse of `KeyVar`.
    KeyVarReversed,
    /// The reverse of `ValueVar`.
    ValueVarReversed,
}
