import { expect } from 'expect';
import { textsAt } from '../../../src/capability/places.js';
import { typeChecks } from '../check.js';
import type { Json, JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { findRead, listMade, type Made, makeOf } from '../subject/aggregates.js';
import { listWritable } from '../subject/described.js';
import { holdsSeveral, type Link, wrapIds } from '../subject/links.js';
import { listPartChanges } from '../subject/part-changes.js';
import type { Subject } from '../subject/subject.js';
import { findCounted } from './described-counts.js';
import { Targets } from './targets.js';

/** `computed: { count, sum, min, max }`: values that the server makes of other objects. */

/** Returns values for an object that is a part of the aggregate, as far as a check can tell. */
function partValues(made: Made, child: Subject, at: number): JsonMap {
  const values: Record<string, Json> = {};
  const writable = new Map(listWritable(child.described).map((one) => [one.name, one]));
  for (const { property, path, values: given, isNot = false } of made.computed.where ?? []) {
    const value = given.find((one) => one !== null);
    if (path === undefined && !isNot && value !== undefined && writable.has(property))
      values[property] = value as Json;
  }
  const read = findRead(made, child.described);
  if (read === null || !writable.has(read.name) || read.references.length > 0) return values;
  const good = child.listGood(read).filter((one) => one !== null);
  const value = good[at % Math.max(1, good.length)];
  return value === undefined || read.name in values ? values : { ...values, [read.name]: value };
}

/** Tells whether a client can make an object that is a part of the aggregate. */
function canMakePart(made: Made, child: Subject): boolean {
  const values = partValues(made, child, 0);
  return (
    child.profile.methods.has('set') &&
    child.described.properties.every(({ name, schema }) => {
      const { enum: legal } = schema;
      const value = values[name];
      return legal === undefined || value === undefined || legal.includes(value);
    })
  );
}

/** The objects that a property is made of, and those that have the property. */
class Parts {
  readonly tops: string[] = [];
  readonly #ids: string[] = [];
  readonly made: Made;
  readonly child: Subject;
  readonly by: Link;
  readonly #subject: Subject;
  readonly #targets: Targets;

  constructor(subject: Subject, targets: Targets, made: Made, child: Subject) {
    this.made = made;
    this.child = child;
    this.by = findCounted(child, made.computed.by);
    this.#subject = subject;
    this.#targets = targets;
  }

  /** Makes an object that has the property. */
  async makeTop(): Promise<string> {
    const top = await this.#subject.makeOne(this.#subject.A1, 'is made of others');
    this.tops.push(top);
    return top;
  }

  /** Makes a part of an object. */
  async make(top: string): Promise<string> {
    const { child, by } = this;
    const values = partValues(this.made, child, this.#ids.length);
    const id = await child.putOne({ ...values, [by.property.name]: wrapIds(by, top) });
    this.#ids.push(id);
    this.#targets.add(child, this.#subject.A1, id);
    return id;
  }

  /** Updates a part, which must succeed, and expects the right values. */
  async update(id: string, patch: JsonMap): Promise<void> {
    const { refused } = await this.child.update(id, patch);
    expect({ patch, refused }).toEqual({ patch, refused: null });
    await this.expectRight({ patch });
  }

  /** Destroys a part or an object that has the property. */
  async destroy(of: Subject, id: string): Promise<void> {
    await of.set({ destroy: [id] });
    for (const all of [this.#ids, this.tops]) if (all.includes(id)) all.splice(all.indexOf(id), 1);
  }

  /** Expects each object to have the value that its parts give; `after` says after what. */
  async expectRight(after: JsonMap = {}): Promise<void> {
    const { made, child, by, tops } = this;
    const { name } = made.property;
    const { list } = await child.client.get(child.type, {
      accountId: this.#subject.A1,
      ids: this.#ids,
      ...child.stored,
    });
    for (const top of tops) {
      const value = (await this.#subject.read(top))[name];
      const parts = list.filter((one) => textsAt([by.place], one[by.property.name]).has(top));
      const right = makeOf(made, child.described, parts);
      expect({ name, ...after, value }).toEqual({ name, ...after, value: right });
    }
  }
}

/** Runs `work` for each property whose parts a client can make; it returns whether it tried it. */
async function tryEach(
  subject: Subject,
  why: string,
  work: (parts: Parts) => Promise<boolean>,
): Promise<void> {
  const targets = new Targets(subject);
  let hasTried = false;
  try {
    for (const made of listMade(subject.described)) {
      const child = await targets.prepareType(made.computed.type);
      if (!canMakePart(made, child)) continue;
      const parts = new Parts(subject, targets, made, child);
      if (await work(parts)) hasTried = true;
      for (const top of [...parts.tops]) await parts.destroy(subject, top);
    }
    if (!hasTried) throw new NotApplicable(why);
  } finally {
    await targets.tidy();
  }
}

/** Why a type has nothing to be checked here; null where it has. */
const needMade = ({ described }: Subject): string | null =>
  listMade(described).length > 0 ? null : 'The type has no property that is made of others.';

/** Why no update changes what such a property is made of; null where one does. */
const needChanges = (subject: Subject): string | null =>
  needMade(subject) ??
  (listMade(subject.described).some(
    (made) => listPartChanges(made, subject.selectType(made.computed.type), {}).length > 0,
  )
    ? null
    : 'No client can change what the values are made of.');

export const describedAggregateChecks = typeChecks('1.1', { methods: ['get', 'set'], room: 2 }, [
  {
    id: 'described-aggregates',
    level: 'must',
    restsOn: 'That the property is made of these objects.',
    rule:
      'A count, a sum, the least or the greatest value of other objects is what these objects ' +
      'give, whenever they come, go and refer to another object.',
    applies: needMade,
    async run(subject) {
      await tryEach(subject, 'No client can make objects that are counted.', async (parts) => {
        const { child, by } = parts;
        const [top, other] = [await parts.makeTop(), await parts.makeTop()];
        await parts.expectRight();
        const first = await parts.make(top);
        await parts.expectRight();
        const second = await parts.make(top);
        await parts.expectRight();
        const { name, access } = by.property;
        if (access === 'mutable') {
          if (holdsSeveral(by)) await parts.update(second, { [name]: wrapIds(by, top, other) });
          await parts.update(second, { [name]: wrapIds(by, other) });
          await parts.update(second, { [name]: wrapIds(by, top) });
        }
        for (const id of [first, second]) {
          await parts.destroy(child, id);
          await parts.expectRight();
        }
        return true;
      });
    },
  },
  {
    id: 'described-aggregates-values',
    level: 'must',
    restsOn: 'That the property is made of these values.',
    rule:
      'A count, a sum, the least or the greatest value of other objects follows when an update ' +
      'changes the values that it is made of.',
    applies: needChanges,
    async run(subject) {
      await tryEach(subject, 'No client can make objects with such values.', async (parts) => {
        const { made, child } = parts;
        const top = await parts.makeTop();
        const [first, id] = [await parts.make(top), await parts.make(top)];
        await parts.expectRight();
        const changes = listPartChanges(made, child, await child.read(id));
        for (const patch of changes) await parts.update(id, patch);
        for (const one of [first, id]) await parts.destroy(child, one);
        return changes.length > 0;
      });
    },
  },
]);
