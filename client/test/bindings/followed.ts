import { type Observable, Variable } from '../../src/cache/observable.js';

/** A value that a test changes, and that counts who follows it. */
export class Followed<Value> implements Observable<Value> {
  followers = 0;
  readonly #value: Variable<Value>;
  readonly getSnapshot: () => Value;

  constructor(value: Value) {
    this.#value = new Variable(value);
    this.getSnapshot = this.#value.getSnapshot;
  }

  readonly subscribe = (listener: (value: Value) => void): (() => void) => {
    const end = this.#value.subscribe(listener);
    this.followers += 1;
    return () => {
      this.followers -= 1;
      end();
    };
  };

  set(value: Value): void {
    this.#value.set(value);
  }
}
