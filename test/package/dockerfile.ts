import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/server.js';

/** The instructions of a stage, in order: `['RUN', 'npm ci']`. */
export type Stage = readonly (readonly [instruction: string, value: string])[];

const KNOWN = ['FROM', 'ARG', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'VOLUME', 'EXPOSE'];
const LAST = ['HEALTHCHECK', 'CMD'];

/** Reads `examples/deploy/Dockerfile`; throws where a line is no instruction that it may have. */
export function readDockerfile(): readonly Stage[] {
  const text = readFileSync(join(ROOT, 'examples/deploy/Dockerfile'), 'utf8');
  const stages: [string, string][][] = [];
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const [, instruction = '', value = ''] = /^([A-Z]+) (\S.*)$/.exec(line) ?? [];
    if (![...KNOWN, ...LAST].includes(instruction)) throw new Error(`The Dockerfile has: ${line}`);
    if (instruction === 'FROM') stages.push([]);
    stages.at(-1)?.push([instruction, value]);
  }
  return stages;
}

/** Returns the values of an instruction in a stage. */
export function valuesOf(stage: Stage, instruction: string): readonly string[] {
  return stage.filter(([name]) => name === instruction).map(([, value]) => value);
}

/** Returns the one value of an instruction in a stage. */
export function oneValueOf(stage: Stage, instruction: string): string {
  const [value, ...others] = valuesOf(stage, instruction);
  if (value === undefined || others.length > 0) throw new Error(`${instruction} is there once.`);
  return value;
}

/** Returns the command of `CMD [...]`, also of the one behind a HEALTHCHECK. */
export function commandOf(value: string): readonly string[] {
  return JSON.parse(value.slice(value.indexOf('['))) as string[];
}

/** Returns the variables that `ENV NAME=VALUE ...` sets. */
export function environmentOf(stage: Stage): Readonly<Record<string, string>> {
  const pairs = valuesOf(stage, 'ENV').flatMap((value) => value.split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}
