/** A value that changes. Its functions need no `this`: they can be handed on alone. */
export interface Observable<Value> {
  /** Returns the value. It is the same one until it changes. */
  readonly getSnapshot: () => Value;
  /** Calls `listener` at once and after each change. Returns the function that ends this. */
  readonly subscribe: (listener: (value: Value) => void) => () => void;
}

/** Functions that are called with a value. */
export class Listeners<Value> {
  readonly #all = new Set<{ readonly listener: (value: Value) => void }>();
  #round: object | null = null;

  get size(): number {
    return this.#all.size;
  }

  add(listener: (value: Value) => void, value: Value): () => void {
    const entry = { listener };
    this.#all.add(entry);
    callSafely(listener, value);
    return () => this.#all.delete(entry);
  }

  /** Calls all that are there; a listener may remove others, or have all called anew. */
  call(value: Value): void {
    const round = {};
    this.#round = round;
    for (const entry of [...this.#all]) {
      // All have heard of a newer value.
      if (this.#round !== round) return;
      if (this.#all.has(entry)) callSafely(entry.listener, value);
    }
  }
}

/** The program hears of an error of a listener; the part that has changed the value doesn't. */
function callSafely<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** A value with its listeners. */
export class Variable<Value> implements Observable<Value> {
  readonly #listeners = new Listeners<Value>();
  #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  readonly getSnapshot = (): Value => this.#value;

  readonly subscribe = (listener: (value: Value) => void): (() => void) =>
    this.#listeners.add(listener, this.#value);

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.#listeners.call(value);
  }
}
