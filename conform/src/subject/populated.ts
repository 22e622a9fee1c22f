import type { ModelProperty } from '../../../src/descriptor/model.js';
import { type Item, type Json, type JsonMap, same } from '../client/json.js';
import { UnexpectedError } from '../unexpected.js';
import { isUnique, listGivable, listWritable } from './described.js';
import { findLink, wrapIds } from './links.js';
import type { Subject } from './subject.js';
import { countOctets } from './values.js';

/** Objects beyond those that each value needs: some values come twice. */
const MORE = 3;

/** Returns further values of the object that a call creates under `k0`, `k1` and so on. */
export type GiveMore = (index: number) => JsonMap;

/**
 * Fills the first account with objects in which the values of each property take turns, so that
 * each occurs, calls `work` with them, and removes them again.
 */
export async function populate(
  subject: Subject,
  work: (items: readonly Item[]) => Promise<void>,
  giveMore: GiveMore = () => ({}),
): Promise<void> {
  const { A1, described, profile } = subject;
  await subject.clear(A1);
  await subject.prepare(A1);
  const links = listWritable(described).filter(
    (one) =>
      findLink(one) !== undefined && !profile.given.includes(one) && !isUnique(described, one),
  );
  const targets = new Targets(subject);
  try {
    await targets.make(links);
    const creates = Object.entries(buildCreates(subject, links, targets));
    const { created, notCreated } = await subject.set({
      create: Object.fromEntries(
        creates.map(([key, one], index) => [key, { ...one, ...giveMore(index) }]),
      ),
    });
    // Somebody's descriptor may have other bounds than the server: what it takes is enough to go on
    // with.
    const isEnough = !subject.isSelfDescribed && Object.keys(created ?? {}).length >= MORE;
    if (Object.keys(notCreated ?? {}).length > 0 && !isEnough)
      throw new UnexpectedError(
        `Values within their bounds are refused: ${JSON.stringify(notCreated)}`,
      );
    await work(await subject.listOwn(A1));
  } finally {
    await subject.clear(A1);
    await targets.remove();
  }
}

/** Returns the creates that fill an account: the values of each property take turns. */
function buildCreates(
  subject: Subject,
  links: readonly ModelProperty[],
  targets: Targets,
): Record<string, JsonMap> {
  const { described: type, profile } = subject;
  const properties = listGivable(type);
  // A check may copy them into the second account.
  const there = subject.server
    .listWritable(profile.capability)
    .flatMap((accountId) => [...subject.listForeign(accountId).values()]);
  const room = Math.min(2000, profile.octets / (2 * properties.length));
  const good = new Map(
    properties.map((one) => {
      const taken = isUnique(type, one) ? there.map((item) => item[one.name] ?? null) : [];
      const isFree = (value: Json): boolean => !taken.some((other) => same(value, other));
      return [one.name, subject.listGood(one).filter((v) => countOctets(v) < room && isFree(v))];
    }),
  );
  const most = Math.max(...[...good.values()].map(({ length }) => length), 3) + MORE;
  const own = links.some((one) => findLink(one)?.type === type.name) ? OWN_TARGETS : 0;
  const count = Math.min(most, subject.room - own);
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const values = properties.map((property, turn): [string, Json][] => {
        const list = good.get(property.name) ?? [];
        // A value that no two objects share is used once.
        const value = list[isUnique(type, property) ? index : (index + turn) % list.length];
        return value === undefined ? [] : [[property.name, value]];
      });
      const linked = links.map((property): [string, Json][] => {
        const reference = findLink(property);
        if (reference === undefined || index % 3 === 0) return [];
        const id = targets.listIds(reference.type)[index % 2];
        if (id === undefined) return [];
        return [[property.name, wrapIds(reference, id)]];
      });
      const object = Object.fromEntries([...values.flat(), ...linked.flat()]);
      return [`k${index}`, { ...subject.create('t'), ...object }];
    }),
  );
}

const OWN_TARGETS = 2;

/** Objects that those of a type may refer to. */
class Targets {
  readonly #subject: Subject;
  readonly #made = new Map<string, { readonly of: Subject; readonly ids: readonly string[] }>();

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** Lists the ids of the objects that were made of a type. */
  listIds(type: string): readonly string[] {
    return this.#made.get(type)?.ids ?? [];
  }

  /** Makes two objects of each type that a reference names. */
  async make(links: readonly ModelProperty[]): Promise<void> {
    const { A1, type } = this.#subject;
    for (const reference of links.map(findLink)) {
      if (reference === undefined || this.#made.has(reference.type)) continue;
      const isOwn = reference.type === type;
      const target = isOwn ? this.#subject : this.#subject.selectType(reference.type);
      if (isOwn && !target.holds(OWN_TARGETS + MORE)) continue;
      const ids = await target.make(A1, 'target', 'another');
      this.#made.set(reference.type, { of: target, ids });
    }
  }

  /**
   * Destroys the objects of other types. Those of the type itself went with the account's others.
   */
  async remove(): Promise<void> {
    for (const { of, ids } of this.#made.values()) {
      if (of === this.#subject) continue;
      await of.set({ destroy: ids });
      await of.tidySupports();
    }
  }
}
