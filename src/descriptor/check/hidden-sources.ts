import { flag, items, member, text } from '../located.js';
import { type AggregateView, namesRead, type PropertyView } from '../property-view.js';
import type { TypeView } from '../view.js';
import type { Rule } from './rule.js';
import { propertiesOf, typesOf } from './types.js';

/**
 * Refuses counts, sums, least and greatest values of what some of their readers don't see, unless
 * the descriptor says that they may learn it.
 */
export const hiddenSources: Rule = (views, report) => {
  const types = typesOf(views);
  for (const property of views.flatMap((view) => view.types).flatMap((type) => type.properties)) {
    const { name, access, computed } = property;
    const { aggregate } = computed ?? {};
    const source = aggregate && types.get(aggregate.type.name);
    if (!computed || !aggregate || !source) continue;
    if (flag(member(computed.node, 'countsHidden'), false)) continue;
    if (access === 'internal' || access === 'secret' || isForOwner(property)) continue;
    const hidden = findHidden(source, aggregate);
    if (hidden === undefined) continue;
    const advice = 'Write countsHidden: true, or readable: [owner]';
    report('hidden-sources', computed.at, `"${name}" is made of ${hidden}. ${advice}.`);
  }
};

function isForOwner({ node }: PropertyView): boolean {
  const readers = items(member(node, 'readable'));
  return readers.length > 0 && readers.every((reader) => text(reader) === 'owner');
}

/** Returns what some users don't see of what an aggregate is made of; undefined for nothing. */
function findHidden(source: TypeView, aggregate: AggregateView): string | undefined {
  if (!isOpen(source, aggregate)) return `objects of ${source.name} that some users don't see`;
  const properties = propertiesOf(source);
  const closed = namesRead(aggregate).find(
    (name) => member(properties.get(name)?.node, 'readable') !== undefined,
  );
  return closed && `"${closed}" of ${source.name}, which some users don't read`;
}

/** Returns whether all who see the object of an aggregate see what it is made of. */
function isOpen({ access, share }: TypeView, { by }: AggregateView): boolean {
  if (access.length === 0) return share === undefined;
  return access.some(({ who, of, where, allowed }) => {
    const isParent = who?.name === 'parent' && of !== undefined && text(of.node) === by?.name;
    const isRead = allowed.some(({ operation, right }) => operation === 'read' && !right);
    return isParent && where.length === 0 && isRead;
  });
}
