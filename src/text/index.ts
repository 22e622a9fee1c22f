/** Text that compares the same everywhere: case folding and the keys of collations. */
export { asciiNumericKey, casemapKey, casemapSteps, fold, foldSteps } from './collations.js';
export { type Normalization, normalForm } from './normal-form.js';
export { compileGroups, type GroupPattern } from './pattern/group-pattern.js';
export { compilePattern, type Pattern, PatternError } from './pattern/index.js';
export { searchWords } from './search-words.js';
export { UNICODE_VERSION } from './tables/version.js';
