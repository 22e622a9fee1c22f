/** A subject is looked at up to here. */
const MAX_SUBJECT = 2000;

const BLOB = '\\[[^[\\]]*\\] *';
/** `Re:`, `Fwd [list]:`, with tags in front (RFC 5256 5). */
const LEADER = new RegExp(`^(?:${BLOB})*(?:re|fwd?) *(?:${BLOB})?:`, 'i');
const FIRST_BLOB = new RegExp(`^${BLOB}`);
const TRAILER = /(?: |\(fwd\))+$/i;

/**
 * Returns what the subjects of one thread have in common: the base subject in small letters and
 * without white space (RFC 8621 3).
 */
export function threadSubject(subject: string | null): string {
  return baseSubject(subject).replace(/\s+/g, '').normalize('NFC').toLowerCase();
}

/** Returns a subject without what answers, lists and forwarding add (RFC 5256 2.1). */
export function baseSubject(subject: string | null): string {
  let base = (subject ?? '').slice(0, MAX_SUBJECT).replace(/\s+/g, ' ');
  for (let before = ''; before !== base; ) {
    before = base;
    base = removeLeaders(base.replace(TRAILER, ''));
    if (/^\[fwd:/i.test(base) && base.endsWith(']')) base = base.slice(5, -1);
  }
  return base;
}

/** Removes what answers and lists put in front, but not the whole subject. */
function removeLeaders(subject: string): string {
  let base = subject.trimStart();
  for (let before = ''; before !== base; ) {
    before = base;
    base = base.replace(LEADER, '').trimStart();
    const rest = base.replace(FIRST_BLOB, '');
    if (rest !== '') base = rest;
  }
  return base;
}
