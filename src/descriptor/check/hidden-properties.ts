import { flag, type Member, member } from '../located.js';
import type { Location } from '../model.js';
import type { OperandView } from '../part-view.js';
import type { PropertyView } from '../property-view.js';
import { eachType, type Report } from './rule.js';

/** Refuses filters and sorts by what clients never see, and secrets that can't be kept as such. */
export const hiddenProperties = eachType((type, report) => {
  for (const property of type.properties) judgeSecret(property, report);
  const uses = [
    ...type.filters.map((filter) => ({
      what: 'filter',
      internal: filter.internal,
      read: [{ property: filter.property, at: filter.propertyAt }, ...filter.texts.slice(1)],
    })),
    ...type.sorts.map((sort) => ({ what: 'sort', internal: sort.internal, read: [sort] })),
  ];
  for (const use of uses) judgeUse(use, report);
});

/** A filter or a sort, with what it reads. */
interface Use {
  readonly what: string;
  readonly internal: Member | undefined;
  readonly read: readonly { readonly property: OperandView | undefined; readonly at: Location }[];
}

/** Reports hidden properties, but for internal ones that `internal: true` means. */
function judgeUse({ what, internal, read }: Use, report: Report): void {
  const isMeant = flag(internal?.node, false);
  for (const { property, at } of read) {
    const { access } = property ?? {};
    if (property === undefined || (access !== 'internal' && access !== 'secret')) continue;
    if (access === 'internal' && isMeant) continue;
    const advice = access === 'internal' ? ' If they may, say internal: true beside it.' : '';
    report(
      'hidden-property',
      at,
      `"${property.name}" is ${access}: a ${what} would tell clients what they may not ` +
        `see.${advice}`,
    );
  }
  const isKnown = read.every(({ property }) => property !== undefined);
  if (internal === undefined || !isMeant || !isKnown) return;
  if (read.some(({ property }) => property?.access === 'internal')) return;
  report(
    'misplaced-key',
    internal.nameAt,
    `"internal" goes with an internal property; this ${what} reads none.`,
  );
}

/**
 * Reports a secret that is no text, the id of a blob, unique, or has a default, and `stored` beside
 * another access.
 */
function judgeSecret({ name, node, access, kind, blob }: PropertyView, report: Report): void {
  const stored = node.members?.get('stored');
  if (stored !== undefined && access !== 'secret')
    report(
      'misplaced-key',
      stored.nameAt,
      `"stored" says how a secret is kept; "${name}" is ${access}.`,
    );
  if (access !== 'secret') return;
  const complain = (key: string, why: string): void =>
    report('bad-secret', member(node, key)?.at ?? node.at, why);
  if (kind !== undefined && kind !== 'string')
    complain('type', `"${name}" is secret, so it is text: type: string.`);
  if (blob)
    complain(
      'blob',
      `"${name}" is secret, so it can't be the id of a blob: the server must read that id.`,
    );
  if (member(node, 'unique')?.value === true)
    complain(
      'unique',
      `"${name}" is secret, so it can't be unique: the server can't compare the stored values.`,
    );
  const given = member(node, 'default');
  if (given !== undefined && given.value !== null)
    complain('default', `"${name}" is secret: a default would be one that everybody knows.`);
}
