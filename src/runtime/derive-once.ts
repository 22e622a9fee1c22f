/**
 * Returns a function that calls `derive` once for each key, and keeps the value as long as the key
 * lives. Use it for what follows from data that nobody changes, such as a type's statements.
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
