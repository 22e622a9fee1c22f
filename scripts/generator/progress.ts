import { printError } from '../cli.js';

const PATIENCE = 1000;

export interface ProgressLine {
  tell(what: string): void;
  stop(): void;
}

/** Says what is being done once it has lasted over a second, and each further step from then on. */
export function startProgress(tool: string): ProgressLine {
  let current = '';
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    if (current !== '') printError(`${tool}: ${current} ...`);
  }, PATIENCE);
  return {
    tell(what) {
      current = what;
      if (late) printError(`${tool}: ${what} ...`);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}
