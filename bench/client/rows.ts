import { quantile } from '../quantile.js';

/** A row of the table: a target, and what was measured. */
export interface Row {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  /** Null: there is no target. */
  readonly isMet: boolean | null;
  /** The same of plain JavaScript and of TanStack DB, where there is such a thing. */
  readonly plain?: string;
  readonly tanstack?: string;
}

/** How much is measured. */
export interface Sizes {
  readonly rounds: number;
  /** Objects of the lists, and in the browser. */
  readonly objects: number;
  readonly updates: number;
  readonly singles: number;
  readonly writes: number;
  /** Objects of real servers. */
  readonly served: readonly number[];
  readonly changes: number;
}

export type Part = (sizes: Sizes) => Promise<readonly Row[]>;

export const FULL: Sizes = {
  ...{ rounds: 5, objects: 100_000, updates: 10_000, singles: 1000, writes: 200 },
  ...{ served: [10_000, 100_000], changes: 50 },
};

export const QUICK: Sizes = {
  ...{ rounds: 1, objects: 2000, updates: 200, singles: 10, writes: 5 },
  ...{ served: [1000], changes: 3 },
};

export function printRows(rows: readonly Row[]): void {
  for (const { what, target, measured, isMet, plain = '', tanstack = '' } of rows) {
    const met = isMet === null ? '' : isMet ? 'yes' : '**no**';
    process.stdout.write(`| ${[what, target, measured, met, plain, tanstack].join(' | ')} |\n`);
  }
}

export function printHead(): void {
  process.stdout.write(
    '| what | target | measured | met | plain JavaScript | TanStack DB |\n' +
      '|---|---|---|---|---|---|\n',
  );
}

/** Returns a time with the digits that it is worth. */
export function ms(value: number): string {
  const digits = value < 1 ? 2 : value < 10 ? 1 : 0;
  return `${value.toLocaleString('en', { maximumFractionDigits: digits })} ms`;
}

const MB = 1024 * 1024;

export function mb(octets: number): string {
  return `${(octets / MB).toFixed(1)} MB`;
}

/** Returns whether so many octets are at most so many MB. */
export function isWithin(octets: number, most: number): boolean {
  return octets <= most * MB;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
