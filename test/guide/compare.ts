import { expect } from 'vitest';
import type { Sample } from '../docs/samples.js';

/**
 * Expects that an output is what a guide shows. `...` stands for any text. In JSON the string
 * `"..."` stands for any value, the member `"...": "..."` for further members, and line breaks
 * don't matter.
 */
export function compare(
  { language, text }: Sample,
  output: string,
  replaced: Readonly<Record<string, string>>,
): void {
  const told = Object.entries(replaced).reduce(
    (all, [shown, real]) => all.replaceAll(real, shown),
    output,
  );
  if (language === 'json') expect(parse(told), told).toEqual(anyWhere(JSON.parse(text)));
  else expect(told.trim()).toMatch(patternOf(text.trim()));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`it printed no JSON:\n${text}`);
  }
}

function anyWhere(shown: unknown): unknown {
  if (shown === '...') return expect.anything();
  if (Array.isArray(shown)) return shown.map(anyWhere);
  if (typeof shown !== 'object' || shown === null) return shown;
  const { '...': further, ...members } = shown as Readonly<Record<string, unknown>>;
  const named = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, anyWhere(value)]),
  );
  return further === undefined ? named : expect.objectContaining(named);
}

function patternOf(text: string): RegExp {
  const parts = text.split('...').map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
