/** Parameters of MAIL FROM by name. */
type Parameters = Readonly<Record<string, string | null>> | null | undefined;

/** A message may wait for so many seconds: maxDelayedSend in the session. */
export const MAX_DELAY = 2_592_000;

/** Says whether a parameter of MAIL FROM is one of FUTURERELEASE. */
export function isHold(name: string): boolean {
  return /^hold(for|until)$/i.test(name);
}

/**
 * Returns the moment (ms) until which a message is held (FUTURERELEASE, RFC 4865), `now` where it
 * isn't, or null where the parameters are wrong or the time is too long.
 */
export function readHold(parameters: Parameters, now: number): number | null {
  const given = Object.entries(parameters ?? {});
  const holds = given.filter(([name]) => isHold(name));
  if (holds.length === 0) return now;
  const [[name, value] = ['', null]] = holds;
  if (holds.length > 1 || value === null) return null;
  const isFor = name.toLowerCase() === 'holdfor';
  const until = isFor ? now + 1000 * readSeconds(value) : readMoment(value);
  return until >= now && until <= now + 1000 * MAX_DELAY ? until : null;
}

function readSeconds(value: string): number {
  return /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
}

function readMoment(value: string): number {
  const isDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value);
  return isDate ? Date.parse(value) : Number.NaN;
}
