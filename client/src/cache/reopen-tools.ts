import { sleep } from '../call/retry.js';
import { nextStep } from '../store/account-store.js';
import { isNeeded } from '../store/store-writer.js';
import { Backoff } from '../sync/backoff.js';
import { lifeRow, makeLife, readLife, sessionRow } from './user-data.js';

/**
 * The functions of the client by which a lost store is opened again. They are handed on: a bundler
 * would put what a lazy file imports into a third one, which everybody loads.
 */
export const REOPEN_TOOLS = {
  ...{ Backoff, sleep, isNeeded, nextStep },
  ...{ lifeRow, makeLife, readLife, sessionRow },
};
export type ReopenTools = typeof REOPEN_TOOLS;
