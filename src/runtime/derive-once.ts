/**
 * Returns a function that calls `derive` once for each key, as long as the key lives. For what
 * follows from data that nobody changes, such as the statements of a data type.
 */
export function deriveOnce<Key extends object, Value extends object>(
  derive: (key: Key) => Value,
): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) {
      value = derive(key);
      values.set(key, value);
    }
    return value;
  };
}
