/** Sets an entry as the newest one, and keeps so many at most: the oldest go. */
export function setNewest<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  forgetOldest(map, most);
}

/** Removes the entries that were set first, until there are so many at most. */
export function forgetOldest(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
