import type { Json, JsonMap } from '../support/json.js';
import type { Answered } from './oracle.js';

/**
 * Judges how members of an answer fit each other and the call. It does so where the call says it by
 * itself: not by a result reference or in another spelling.
 */
export function judgeCall({ call, name, args }: Answered, wrong: string[]): void {
  const sent = call[1] as JsonMap;
  if (Object.keys(sent).some((one) => one.startsWith('#') || one.includes('_'))) return;
  const judge = JUDGES[name.slice(name.indexOf('/') + 1)];
  if (judge === undefined || !Object.hasOwn(args, 'accountId')) return;
  const report = (what: string): void => void wrong.push(`${name}: ${what}`);
  judge(sent, args, report);
}

type Report = (what: string) => void;
type Judge = (sent: JsonMap, args: JsonMap, report: Report) => void;

const names = (value: Json | undefined): readonly string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const isDistinct = (items: readonly Json[]): boolean => new Set(items).size === items.length;

/** Finds the entries of a call that are in neither of two parts of its answer, or in both. */
function once(
  what: string,
  entries: readonly Json[],
  done: readonly Json[],
  not: readonly Json[],
  report: Report,
): void {
  const all = new Set(entries);
  // A creation id stands for an id (5.3), which is what the answer has.
  const isNamed = [...all].some((entry) => typeof entry === 'string' && entry.startsWith('#'));
  const [yes, no] = [new Set(done), new Set(not)];
  for (const entry of all) {
    if (isNamed) break;
    if (yes.has(entry) === no.has(entry))
      report(`${what} ${JSON.stringify(entry)}: ${yes.has(entry)}`);
  }
  if (!isNamed && [...no].some((entry) => !all.has(entry)))
    report(`not ${what} that was not asked`);
}

/** Members that Blob/get adds where they are true, whatever was asked for (RFC 9404 4.2). */
const WARNINGS: ReadonlySet<string> = new Set(['isEncodingProblem', 'isTruncated']);

const JUDGES: Readonly<Record<string, Judge>> = {
  get(sent, { list: items, notFound }, report) {
    const found = list(items).map((item) => (item as JsonMap)['id'] ?? null);
    if (!isDistinct(found)) report('an object twice');
    const { ids, properties } = sent;
    if (Array.isArray(ids)) once('got', ids, found, list(notFound), report);
    if (Array.isArray(properties) && properties.every((one) => typeof one === 'string')) {
      const wanted = new Set<Json>(['id', ...properties]);
      for (const item of list(items)) {
        const shown = names(item).filter((one) => !WARNINGS.has(one));
        if (shown.length !== wanted.size || !shown.every((one) => wanted.has(one))) {
          report(`an object has ${shown.join()} where ${[...wanted].join()} was wanted`);
          return;
        }
      }
    }
  },
  changes({ maxChanges, sinceState }, args, report) {
    const all = ['created', 'updated', 'destroyed'].flatMap((one) => list(args[one]));
    if (!isDistinct(all)) report('an id twice');
    if (typeof maxChanges === 'number' && all.length > maxChanges) report('too many changes');
    if (args['oldState'] !== sinceState) report('another oldState');
    if (args['hasMoreChanges'] === true && args['newState'] === sinceState) report('no progress');
  },
  set({ create, update, destroy }, args, report) {
    once('created', names(create), names(args['created']), names(args['notCreated']), report);
    const destroyed = list(args['destroyed']);
    // A refused object may change all the same as a consequence of something else: it is not in
    // both by itself.
    const refused = names(args['notUpdated']);
    const updated = names(args['updated']).filter((id) => !refused.includes(id));
    once('updated', names(update), updated, refused, report);
    once('destroyed', list(destroy), destroyed, names(args['notDestroyed']), report);
    if (!isDistinct(destroyed)) report('destroyed twice');
    const changes = ['created', 'updated'].some((one) => names(args[one]).length > 0);
    const isChanged = changes || list(args['destroyed']).length > 0;
    const { oldState, newState } = args;
    if (!isChanged && oldState !== newState) report('a new state of nothing');
    if (Number(newState) < Number(oldState)) report('an older state');
  },
  copy({ create }, args, report) {
    once('created', names(create), names(args['created']), names(args['notCreated']), report);
  },
  query({ limit, calculateTotal }, { ids, total, position }, report) {
    if (typeof limit === 'number' && list(ids).length > limit) report('more than the limit');
    if ((calculateTotal === true) !== (total !== undefined)) report('a total of nobody');
    const isBeyond = Number(total) < Number(position) + list(ids).length;
    if (total !== undefined && list(ids).length > 0 && isBeyond) report('more than in total');
  },
  queryChanges({ maxChanges, calculateTotal, sinceQueryState }, args, report) {
    const { added, removed, total, oldQueryState } = args;
    const indexes = list(added).map((one) => Number((one as JsonMap)['index']));
    if (indexes.some((one, n) => one <= (indexes[n - 1] ?? -1))) report('added out of order');
    if (!isDistinct(list(removed))) report('removed twice');
    const changes = list(removed).length + list(added).length;
    if (typeof maxChanges === 'number' && changes > maxChanges) report('too many changes');
    if ((calculateTotal === true) !== (total !== undefined)) report('a total of nobody');
    if (oldQueryState !== sinceQueryState) report('another oldQueryState');
  },
};
