import { randomBytes } from 'node:crypto';

/** What a proxy may hand in; anything else could forge lines in logs. */
const SANE = /^[A-Za-z0-9._-]{8,64}$/;

/** Ids for requests: the one that came in where it is sane, else a fresh one, unique over processes. */
export function createRequestIds(): (given: string | undefined) => string {
  const process = randomBytes(6).toString('hex');
  let count = 0;
  return (given) => {
    if (given !== undefined && SANE.test(given)) return given;
    count += 1;
    return `${process}-${count.toString(36)}`;
  };
}
