// Written by scripts/make-text-tables.ts; do not edit.
/** The version of all tables in this folder. */
export const UNICODE_VERSION = '16.0.0';
