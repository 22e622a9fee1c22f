import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf, type Sample, samplesOf } from '../docs/samples.js';
import { ROOT } from '../support/server.js';

/** One step of a guide, as its fenced block says it. */
export type Step = { readonly place: string } & (
  | { readonly kind: 'run'; readonly text: string; readonly code: number; readonly shown?: Sample }
  | { readonly kind: 'start'; readonly text: string; readonly shown?: Sample }
  | { readonly kind: 'beside'; readonly text: string }
  | { readonly kind: 'install'; readonly packages: readonly string[] }
  | { readonly kind: 'write' | 'patch'; readonly file: string; readonly text: string }
);

export function guideNames(): readonly string[] {
  return readdirSync(join(ROOT, 'docs/guide'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .sort();
}

export function guideSamples(name: string): readonly Sample[] {
  const page = `docs/guide/${name}.md`;
  return samplesOf(page, readFileSync(join(ROOT, page), 'utf8'));
}

/**
 * Returns the steps of `docs/guide/NAME.md`. A block of `sh` is run in the first terminal; one that
 * ends with a start of the server in the second; one that installs packages stands alone. `<!--
 * sample: ends with N -->` above it says that it fails, `third terminal` that it runs to the end of
 * the guide. A block of `text` or `json` that follows is what it prints. Any other block is a file,
 * which the comment above names, and `diff` changes one.
 */
export function stepsOf(name: string): readonly Step[] {
  const steps: Step[] = [];
  const samples = guideSamples(name);
  for (const [index, sample] of samples.entries()) {
    if (reasonOf(sample) !== null) continue;
    if (isOutput(sample)) {
      const before = samples[index - 1];
      if (before?.language !== 'sh') throw new Error(`${sample.place}: nothing prints this.`);
      continue;
    }
    const next = samples[index + 1];
    const isShown = next !== undefined && isOutput(next) && reasonOf(next) === null;
    steps.push(stepOf(sample, isShown ? next : undefined));
  }
  return steps;
}

function isOutput({ language }: Sample): boolean {
  return language === 'text' || language === 'json';
}

function stepOf(sample: Sample, shown: Sample | undefined): Step {
  const { place, language, words, text } = sample;
  if (language === 'diff') return { place, kind: 'patch', file: fileOf(sample), text };
  if (language !== 'sh') return { place, kind: 'write', file: fileOf(sample), text };
  const [, installed] = /^npm install (?:--save-dev )?(.+)\n$/.exec(text) ?? [];
  if (installed !== undefined) return { place, kind: 'install', packages: installed.split(' ') };
  if (words === 'third terminal') return { place, kind: 'beside', text };
  const output = shown === undefined ? {} : { shown };
  if (/\bjmapsmith(?:\.mjs)? start\n$/.test(text)) return { place, kind: 'start', text, ...output };
  const [, code = '0'] = /^ends with (\d+)$/.exec(words) ?? [];
  return { place, kind: 'run', text, code: Number(code), ...output };
}

function fileOf({ place, words }: Sample): string {
  if (!/^[\w./-]+\.\w+$/.test(words)) throw new Error(`${place}: the comment names no file.`);
  return words;
}
