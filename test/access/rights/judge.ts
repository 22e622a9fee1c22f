import type { MethodResponse } from '../../support/client.js';
import type { JsonMap } from '../../support/json.js';
import type { Probe } from './probes.js';

/** Errors in two letters, as the table has them. */
const WORDS: Readonly<Record<string, string>> = {
  accountNotFound: 'an',
  fromAccountNotFound: 'an',
  accountNotSupportedByMethod: 'ns',
  accountReadOnly: 'ro',
  anchorNotFound: 'nf',
  blobNotFound: 'nf',
  forbidden: 'fb',
  invalidProperties: 'ip',
  notFound: 'nf',
  unsupportedFilter: 'uf',
  unsupportedSort: 'us',
};

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Answer = any;

/** Returns what an answer is, in two letters; an error that has none as it is. */
export function wordOf(probe: Probe, id: string, [name, answer]: MethodResponse): string {
  if (name === 'error') return wordOfError(answer);
  const verb = name.split('/')[1] ?? '';
  const judge = JUDGES[verb];
  return judge === undefined ? 'ok' : judge(answer, id, probe);
}

function wordOfError({ type }: JsonMap): string {
  return WORDS[String(type)] ?? String(type);
}

const JUDGES: Readonly<Record<string, (answer: Answer, id: string, probe: Probe) => string>> = {
  get: ({ list, notFound }, id, { shows }) => {
    const found = list.find((object: JsonMap) => object['id'] === id);
    if (found === undefined) return notFound.includes(id) ? 'nf' : 'nothing';
    if (shows === undefined) return 'ok';
    if (!(shows in found)) return 'no';
    return found[shows] === null ? 'nu' : 'ok';
  },
  changes: ({ created, updated, destroyed }, id, { isStill }) =>
    isStill ? 'ok' : isIn([...created, ...updated, ...destroyed], id),
  query: ({ ids, total }, id) => {
    if (total !== undefined && total !== ids.length) return `a total of ${total}`;
    return isIn(ids, id);
  },
  queryChanges: ({ added, removed }, id, { isStill }) =>
    isStill ? 'ok' : isIn([...added.map((item: JsonMap) => item['id']), ...removed], id),
  set: judgeSet,
  copy: judgeSet,
  upload: judgeSet,
  lookup: ({ list }, id) => {
    const found = list.find((blob: JsonMap) => blob['id'] === id);
    return found !== undefined && found.matchedIds.List.length > 0 ? 'ok' : 'nf';
  },
};

function isIn(ids: readonly string[], id: string): string {
  return ids.includes(id) ? 'ok' : 'nf';
}

function judgeSet(answer: Answer): string {
  const { notCreated, notUpdated, notDestroyed, notCopied } = answer;
  const all = { ...notCreated, ...notUpdated, ...notDestroyed, ...notCopied };
  const [error] = Object.values<JsonMap>(all);
  return error === undefined ? 'ok' : wordOfError(error);
}

const STATUSES: Readonly<Record<number, string>> = { 200: 'ok', 401: 'un', 403: 'ro', 404: 'nf' };

export function wordOfStatus(status: number): string {
  return STATUSES[status] ?? String(status);
}

/** Returns the descriptions of errors of type `forbidden` in an answer. */
export function forbiddenTexts([, answer]: MethodResponse): readonly string[] {
  const { notCreated, notUpdated, notDestroyed, notCopied } = answer as Answer;
  const errors = Object.values<JsonMap>({
    ...notCreated,
    ...notUpdated,
    ...notDestroyed,
    ...notCopied,
  });
  return errors
    .filter(({ type }) => type === 'forbidden')
    .map(({ description }) => String(description));
}
