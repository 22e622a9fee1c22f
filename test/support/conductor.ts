import { Conductor } from '../../src/runtime/slices.js';

/**
 * The conductor of a test file's parts, so that they take turns with each other as in one process.
 */
export const conductor = new Conductor();
