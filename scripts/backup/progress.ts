import { printError } from '../cli.js';

/** The first line comes after so long, further ones as often, ms. */
const FIRST = 1000;
const EVERY = 5000;

/** Tells on stderr how far a long work is. */
export class Progress {
  readonly #what: string;
  #next = performance.now() + FIRST;

  constructor(what: string) {
    this.#what = what;
  }

  /** Called as often as one likes. */
  at(done: number, all: number): void {
    if (performance.now() < this.#next) return;
    this.#next = performance.now() + EVERY;
    const percent = all === 0 ? 100 : Math.floor((100 * done) / all);
    printError(`${this.#what}: ${percent} % of ${inUnits(all)}`);
  }
}

/** `12 octets`, `3.4 MB`. */
export function inUnits(octets: number): string {
  const units = ['octets', 'kB', 'MB', 'GB', 'TB'];
  let value = octets;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit += 1) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
