const UNITS: Readonly<Record<string, number>> = Object.freeze({
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
});

/** Parses a span such as `500ms`, `10s`, `5m`, `12h` or `1d` to milliseconds; null for no span. */
export function parseSpan(text: unknown): number | null {
  const match = typeof text === 'string' ? /^([1-9]\d{0,8})(ms|[smhd])$/.exec(text) : null;
  const unit = match?.[2] === undefined ? undefined : UNITS[match[2]];
  return match === null || unit === undefined ? null : Number(match[1]) * unit;
}
