import type { Subject } from '../subject/subject.js';

/** Why checks of queries can't be run for a type; null where they can. */

/** Returns why nothing can be sorted by the text; null where it can. */
export const needTextSort = (subject: Subject): string | null =>
  subject.profile.textSort ? null : 'The type declares no sort by its text.';

/** Returns why nothing can be filtered by the text; null where it can. */
export const needTextFilter = ({ profile }: Subject): string | null =>
  profile.textFilter === undefined ? 'The type declares no filter on its text.' : null;

/** Returns why the type has no filter to try; null where it has one. */
export const needFilter = (subject: Subject): string | null =>
  subject.described.filters.length === 0 ? 'The type declares no filter.' : null;
