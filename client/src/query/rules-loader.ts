import { Lazy } from './lazy.js';
import type { TextRules } from './text-rules.js';

/** Loads the rules of texts when the first query needs them: their tables are large. */
export class RulesLoader extends Lazy<TextRules> {
  constructor() {
    super(() => import('./unicode.js').then(({ UNICODE_RULES }) => UNICODE_RULES));
  }

  /**
   * Compiles something by the rules. Returns null where they have yet to be loaded; `onLoaded` is
   * called then.
   */
  compile<Result>(make: (rules: TextRules) => Result, onLoaded: () => void): Result | null {
    if (this.part !== null) return make(this.part);
    const probe = makeProbe();
    const result = make(probe.rules);
    if (!probe.isUsed()) return result;
    this.want(onLoaded);
    return null;
  }
}

/** Returns rules that only note whether anybody uses them. */
function makeProbe(): { readonly rules: TextRules; readonly isUsed: () => boolean } {
  let isUsed = false;
  const note = <Result>(result: Result): Result => {
    isUsed = true;
    return result;
  };
  const rules: TextRules = {
    fold: (text) => note(text),
    words: () => note([]),
    collate: () => note(null),
  };
  return { rules, isUsed: () => isUsed };
}
