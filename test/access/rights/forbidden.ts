const OWNER = 'The owner of the account alone may';
const USERS = 'the owner of the account and users who may write in all of it';

/** Rows of objects of the server, of which clients create and change none. */
const SERVERS = [
  ...['Principal create', 'Principal update', 'Principal destroy'],
  ...['ShareNotification create', 'ShareNotification update'],
].map((row): Row => {
  const [type = '', verb = ''] = row.split(' ');
  return [row, [`The server alone may ${verb} objects of ${type}.`]];
});

type Row = readonly [row: string, texts: readonly string[]];

/** The refusals of creates and copies of a type, by who may make them. */
function creates(types: readonly string[], who: string, ...more: readonly string[]): Row[] {
  return types.flatMap((type) =>
    ['create', 'copy to'].map(
      (verb): Row => [`${type} ${verb}`, [`${who} create such an object.`, ...more]],
    ),
  );
}

const right = (name: string): string => `users with the right "${name}" may`;
const both = (name: string): string => `Only ${USERS}, or ${right(name)}`;

/** All that is said of rows that are forbidden to some: which right lacks, and for what. */
export const FORBIDDEN: Readonly<Record<string, readonly string[]>> = Object.fromEntries<
  readonly string[]
>([
  ...SERVERS,
  ...creates(['Notice', 'Report', 'Job'], OWNER),
  ...creates(['Plain', 'Private', 'List'], `Only ${USERS} may`),
  ...creates(['Item', 'Part'], `Only ${right('mayWrite')}`, 'You would not see the object.'),
  ['Item create hidden', [`Only ${right('mayWrite')} create such an object.`]],
  ['Notice public update public', [`${OWNER} change "public".`]],
  ['Notice public destroy', [`${OWNER} destroy it.`]],
  ['Report update text', [`${OWNER} change "text".`]],
  ['Report destroy', [`${OWNER} destroy it.`]],
  ['Job update text', [`${OWNER} change "text".`]],
  ['Job update assignee', [`${OWNER} change "assignee".`]],
  ['Job destroy', [`${OWNER} destroy it.`]],
  ['List update text', [`${both('mayWrite')} change "text".`]],
  ['List update color', [`${both('mayAdmin')} change "color".`]],
  ['List hidden file', [`${both('mayAdmin')} change "file".`]],
  ['List update shareWith', [`${both('mayAdmin')} change "shareWith".`]],
  [
    'List destroy',
    [`${both('mayAdmin')} destroy it.`, 'You may not destroy all that would go with it.'],
  ],
  ['Item update text', [`Only ${right('mayWrite')} change "text".`]],
  ['Item move', [`Only ${right('mayWrite')} change "listId".`]],
  ['Item move to hidden', [`Only ${right('mayWrite')} change "listId".`]],
  [
    'Item destroy',
    [`Only ${right('mayAdmin')} destroy it.`, 'You may not destroy all that would go with it.'],
  ],
  ['Part update text', [`Only ${right('mayWrite')} change "text".`]],
  ['Part destroy', [`Only ${right('mayWrite')} destroy it.`]],
]);
