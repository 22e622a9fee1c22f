import type { JsonObject } from '../../../src/protocol/json.js';
import type { MarkedFile } from './files.js';
import type { TypeName } from './schema.js';

/**
 * Each write has a mark by which it is known on the server. The first word of a title is the mark
 * of a create, and so is the amount of a Line. An update adds its mark to `tags`, and nobody takes
 * one away: the marks of an object grow, on the server and on every screen.
 */

export interface MarkedWrite {
  readonly mark: string;
  readonly kind: 'create' | 'update' | 'destroy';
  readonly type: TypeName;
  readonly accountId: string;
  /** Of the object, as the client named it. */
  readonly key: string;
  /** Keys of other objects that it names. */
  readonly names: readonly string[];
  /** The files that it names. */
  readonly files?: readonly MarkedFile[];
  /** The file that it adds to the album of its object. */
  readonly album?: MarkedFile;
  /** Names the writes that were made together. */
  readonly group?: string;
  /** It asks for an unchanged object. */
  readonly isChecked?: true;
  /** The device, and which of its clients: each has another number. */
  readonly device: string;
  readonly client: number;
  /** The test has asked for the result at once. */
  readonly isAsked: boolean;
  isSaved: boolean | null;
  /** 'made', or the type of the error; null: it is to come. */
  end: string | null;
  /** Tells `end` now, where it is there. */
  readonly look: () => Promise<void>;
}

/** Marks of updates within a row. */
export function tagsOf(row: JsonObject): readonly string[] {
  return Object.keys(row['tags'] ?? {}).filter((name) => /^t\d+$/.test(name));
}

/** Returns the mark of the create of an object; null where it has none. */
export function markOf(type: TypeName, object: JsonObject): string | null {
  if (type === 'Line') return `m${String(object['amount'])}`;
  if (type === 'Post') return null;
  return String(object['title']).split(' ')[0] ?? null;
}

/** Returns the marks in the values of a problem. */
export function marksIn(type: string, values: object | null): readonly string[] {
  const amount = (values as { readonly amount?: unknown } | null)?.amount;
  if (type === 'Line' && typeof amount === 'number') return [`m${amount}`];
  return JSON.stringify(values).match(/\b[mt]\d+\b/g) ?? [];
}

/** All writes of a seed, as far as the test knows. */
export class Marks {
  readonly writes: MarkedWrite[] = [];
  /** Marks of refused writes, with the types of the errors. */
  readonly refused = new Map<string, string>();
  /** Marks of objects that somebody may have destroyed. */
  readonly doomed = new Set<string>();
  /** Marks of objects that were shared with the user, and are no more. */
  readonly hidden = new Set<string>();
  /** Keys and ids of these objects: who names them is changed when they go. */
  readonly doomedNames = new Set<string>();
  /** Marks of objects that others have changed: without keys nobody knows them again. */
  readonly mixed = new Set<string>();
  /** Writes of these marks may be there or not: the server has gone back to an earlier time. */
  readonly open = new Set<string>();
  /** Marks of refused writes that were made once more. */
  readonly repeated = new Set<string>();
  #last = 0;

  next(letter: 'm' | 't' | 'f'): string {
    this.#last += 1;
    return letter + this.#last;
  }

  /** Notes a write that is refused; one that nobody ended is not. */
  refuse(marks: readonly string[], error: string): void {
    if (error === 'closed') return;
    for (const mark of marks) this.refused.set(mark, error);
  }

  /** All that is written so far may be undone. */
  forget(): void {
    for (let number = 1; number <= this.#last; number += 1)
      for (const letter of ['m', 't']) this.open.add(letter + number);
  }

  isDoomed(type: TypeName, mark: string | null): boolean {
    // A book takes its lines along.
    const hasBooks = type === 'Line' && this.doomed.has('books');
    return mark === null || this.doomed.has(mark) || hasBooks;
  }

  /** Returns a write of a client. */
  find(mark: string): MarkedWrite | undefined {
    return this.writes.find((write) => write.mark === mark);
  }

  /**
   * Returns whether others have changed an object, or one that its create names, before its client
   * knew it again.
   */
  isMixed(mark: string): boolean {
    const marks = new Set([mark]);
    // A set is read to its end, also where it grows meanwhile.
    for (const one of marks) {
      if (this.mixed.has(one)) return true;
      const names = this.find(one)?.names ?? [];
      for (const { kind, key, mark: other } of this.writes)
        if (kind === 'create' && names.includes(key)) marks.add(other);
    }
    return false;
  }

  /** Returns whether a client has destroyed an object, or was refused its create. */
  isTakenBack(key: string): boolean {
    const ofKey = this.writes.filter((write) => write.key === key);
    return ofKey.some(
      ({ kind, mark }) => kind === 'destroy' || (kind === 'create' && this.refused.has(mark)),
    );
  }

  /** Looks at all writes whose ends nobody has asked for. */
  async look(): Promise<void> {
    for (const write of this.writes) if (write.end === null) await write.look();
  }
}
