const DAY = 86_400_000;

/** Returns a function from a LocalDateTime of a time zone to a UTCDate. */
export function utcOf(timeZone: string): (local: string) => string {
  const offsetAt = offsetsOf(timeZone);
  return (local) => {
    const wall = Date.parse(`${local}Z`);
    const [earlier, later] = [offsetAt(wall - DAY), offsetAt(wall + DAY)];
    // A time that occurs twice is the first one, and one that the clocks skip goes by the offset
    // before.
    const isLater = offsetAt(wall - earlier) !== earlier && offsetAt(wall - later) === later;
    const moment = new Date(wall - (isLater ? later : earlier));
    // A UTCDate has no fraction of zero (RFC 8620 1.4).
    return moment.toJSON().replace('.000Z', 'Z');
  };
}

/** Returns a function from a moment to the offset of a time zone from UTC, in milliseconds. */
function offsetsOf(timeZone: string): (moment: number) => number {
  const fields = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
  const numeric = Object.fromEntries(fields.map((field) => [field, 'numeric']));
  const options = { timeZone, calendar: 'iso8601', hourCycle: 'h23', ...numeric } as const;
  const format = new Intl.DateTimeFormat('en', options);
  return (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, +value]));
    const [year = 0, month = 1, ...time] = fields.map((field) => parts.get(field) ?? 0);
    return Date.UTC(year, month - 1, ...time) - Math.floor(moment / 1000) * 1000;
  };
}
