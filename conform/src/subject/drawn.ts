import { asMap, type Json, type JsonMap } from '../client/json.js';
import type { Random } from '../random.js';
import { isUnique, listGivable } from './described.js';
import type { Subject } from './subject.js';
import { buildFilter, buildFilters, drawTree } from './trees.js';
import { CORE } from './user.js';
import { countOctets } from './values.js';

/** Collations that a random sort names where the session does, too. */
const COLLATIONS = ['i;unicode-casemap', 'i;ascii-casemap', 'i;ascii-numeric', 'i;octet'];

const WORDS = ['alpha', 'Beta', 'gamma', 'Äpfel', 'straße', 'STRASSE', '10', '9', '', 'in a word'];

/** Objects that a check of random writes has at the most; the account has room for them. */
export const DRAWN_ROOM = 100;

/** Tells whether a value is small: what hooks compute from many of them stays in bounds as well. */
const isSmall = (value: Json): boolean =>
  typeof value === 'number' ? Math.abs(value) < 1e9 : countOctets(value) < 60;

/** Draws objects and queries of a subject at random. */
export class Drawn {
  readonly #subject: Subject;
  readonly #random: Random;

  constructor(subject: Subject, random: Random) {
    this.#subject = subject;
    this.#random = random;
  }

  /**
   * Draws new values of some mutable properties. Leaves out values that no two objects may share.
   */
  drawPatch(): JsonMap {
    const { described, profile } = this.#subject;
    const random = this.#random;
    const patch: JsonMap = {};
    for (const property of listGivable(described)) {
      const { name, access } = property;
      if (access !== 'mutable' || isUnique(described, property)) continue;
      if (name === profile.text) {
        const words = WORDS.filter((one) => this.#subject.allows(one));
        if (random.chance(0.7) && words.length > 0) patch[name] = random.pick(words);
        continue;
      }
      const values = this.#subject.listGood(property).filter(isSmall);
      if (values.length > 0 && random.chance(0.3)) patch[name] = random.pick(values);
    }
    return patch;
  }

  /**
   * Sends one /set of a few creates, updates and destroys, some of which may be refused. Brings
   * `ids` up to date with the objects that are there.
   */
  async write(ids: string[]): Promise<void> {
    const random = this.#random;
    const subject = this.#subject;
    const create: JsonMap = {};
    const most = Math.min(4, DRAWN_ROOM - ids.length);
    for (let n = random.integer(0, most); n > 0; n -= 1)
      create[`k${n}`] = { ...subject.create('new'), ...this.drawPatch() };
    const update: JsonMap = {};
    const destroy: string[] = [];
    for (const id of ids) {
      if (random.chance(0.15)) update[id] = this.drawPatch();
      else if (random.chance(0.07)) destroy.push(id);
    }
    const { created, destroyed } = await subject.set({ create, update, destroy });
    const gone = new Set(destroyed ?? []);
    const left = ids.filter((id) => !gone.has(id));
    ids.splice(0, ids.length, ...left, ...Object.values(created ?? {}).map(({ id }) => id));
  }

  /**
   * Draws a filter from the type's conditions with values that objects have. Returns null in one of
   * five cases.
   */
  async drawFilter(): Promise<JsonMap | null> {
    const subject = this.#subject;
    const conditions = buildFilters(subject, await subject.listOwn(subject.A1)).filter(
      (one) => countOctets(one) < 300,
    );
    if (conditions.length === 0 || this.#random.chance(0.2)) return null;
    return buildFilter(drawTree(this.#random, conditions.length, 2), conditions);
  }

  /**
   * Draws a sort of one or two properties, half of the texts with a collation that the session
   * names. Returns null where the type sorts by nothing.
   */
  drawSort(): JsonMap[] | null {
    const random = this.#random;
    const { profile, described } = this.#subject;
    if (profile.sorts.length === 0 || random.chance(0.2)) return null;
    const named = asMap(this.#subject.server.user.session.capabilities[CORE])[
      'collationAlgorithms'
    ];
    const known = COLLATIONS.filter((one) => Array.isArray(named) && named.includes(one));
    const isText = new Set(
      described.sorts.flatMap(({ name, property }) => (property.kind === 'string' ? [name] : [])),
    );
    return Array.from({ length: random.integer(1, 2) }, () => {
      const property = random.pick(profile.sorts);
      const collated = isText.has(property) && known.length > 0 && random.chance(0.5);
      const collation = collated ? { collation: random.pick(known) } : {};
      return { property, isAscending: random.chance(0.5), ...collation };
    });
  }
}
