import { ASKER_NAMES, type AskerName } from './askers.js';
import { HIDDEN, PUBLIC, TARGET, TYPES } from './objects.js';

/**
 * THE MATRIX of rights: what each call answers, by who asks (askers.ts). A row is about one object,
 * or one operation with it (probes.ts). Rows of reads are about /get, /query, /changes and
 * /queryChanges.
 *
 * - `ok`: done, or in the answer
 * - `nf`: not there, as an id of nothing
 * - `fb`: `forbidden`
 * - `ip`: `invalidProperties`
 * - `ro`: `accountReadOnly`, or 403
 * - `an`: `accountNotFound`
 * - `ns`: `accountNotSupportedByMethod`
 * - `uf`, `us`: `unsupportedFilter`, `unsupportedSort`
 * - `no`, `nu`: the object without the property, or with null in it
 * - `un`: 401
 */
const TABLE = `
                                    ow wr rd au no r  w  a  rw ra wa al gr as mk rv st tn ot lt ds
  Plain reads                       ok ok ok ok nf nf nf nf nf nf nf nf nf nf nf nf an nf ok nf un
  Plain create                      ok ok ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  Plain update text                 ok ok ro ro nf nf nf nf nf nf nf nf nf nf nf nf an nf ro ro un
  Plain copy from                   ok ok ok ok nf nf nf nf nf nf nf nf nf nf nf nf an nf ro ro un
  Plain copy to                     ok ok ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  Private reads                     ok ok nf nf nf nf nf nf nf nf nf nf nf nf nf nf an nf ok nf un
  Private create                    ok ok ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  Private update text               ok ok ro ro nf nf nf nf nf nf nf nf nf nf nf nf an nf ro ro un
  Private copy from                 ok ok nf nf nf nf nf nf nf nf nf nf nf nf nf nf an nf ro ro un
  Private copy to                   ok ok ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  Notice reads                      ok nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf an nf ok nf un
  Notice create                     ok fb ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  Notice update text                ok nf ro ro nf nf nf nf nf nf nf nf nf nf nf nf an nf ro ro un
  Notice copy from                  ok nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf an nf ro ro un
  Notice copy to                    ok fb ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  Report reads                      ok nf nf ok nf nf nf nf nf nf nf nf nf ok nf nf an nf ok nf un
  Report create                     ok fb ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  Report update text                ok nf ro ro nf nf nf nf nf nf nf nf nf fb nf nf an nf ro ro un
  Report copy from                  ok nf nf ok nf nf nf nf nf nf nf nf nf ok nf nf an nf ro ro un
  Report copy to                    ok fb ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  Draft reads                       ok nf nf nf nf nf nf nf nf nf nf nf nf nf ok nf an nf ok nf un
  Draft create                      ok ok ro ro ok ok ok ok ok ok ok ok ok ok ok ok an ok ro ro un
  Draft update text                 ok nf ro ro nf nf nf nf nf nf nf nf nf nf ok nf an nf ro ro un
  Draft copy from                   ok nf nf nf nf nf nf nf nf nf nf nf nf nf ok nf an nf ro ro un
  Draft copy to                     ok ok ro ro ok ok ok ok ok ok ok ok ok ok ok ok an ok ro ro un
  Job reads                         ok nf nf nf nf nf nf nf nf nf nf nf nf nf ok nf an nf ok nf un
  Job create                        ok fb ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  Job update text                   ok nf ro ro nf nf nf nf nf nf nf nf nf nf fb nf an nf ro ro un
  Job copy from                     ok nf nf nf nf nf nf nf nf nf nf nf nf nf ok nf an nf ro ro un
  Job copy to                       ok fb ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  List reads                        ok ok nf nf nf ok nf nf ok ok nf ok ok nf nf nf an nf ok ok un
  List create                       ok ok ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  List update text                  ok ok ro ro nf fb nf nf ok fb nf ok ok nf nf nf an nf ro ro un
  List copy from                    ok ok nf nf nf ok nf nf ok ok nf ok ok nf nf nf an nf ro ro un
  List copy to                      ok ok ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ok ro ro un
  Item reads                        ok nf nf nf nf ok nf nf ok ok nf ok ok nf nf nf an nf ok ok un
  Item create                       ok fb ro ro fb fb fb fb ok fb fb ok ok fb fb fb an ip ro ro un
  Item update text                  ok nf ro ro nf fb nf nf ok fb nf ok ok nf nf nf an nf ro ro un
  Item copy from                    ok nf nf nf nf ok nf nf ok ok nf ok ok nf nf nf an nf ro ro un
  Item copy to                      ok fb ro ro fb fb fb fb ok fb fb ok ok fb fb fb an ip ro ro un
  Part reads                        ok nf nf nf nf ok nf nf ok ok nf ok ok nf nf nf an nf ok ok un
  Part create                       ok fb ro ro fb fb fb fb ok fb fb ok ok fb fb fb an ip ro ro un
  Part update text                  ok nf ro ro nf fb nf nf ok fb nf ok ok nf nf nf an nf ro ro un
  Part copy from                    ok nf nf nf nf ok nf nf ok ok nf ok ok nf nf nf an nf ro ro un
  Part copy to                      ok fb ro ro fb fb fb fb ok fb fb ok ok fb fb fb an ip ro ro un
  Notice public reads               ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok an nf ok ok un
  Notice public update text         ok ok ro ro ok ok ok ok ok ok ok ok ok ok ok ok an nf ro ro un
  Notice public copy from           ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok an nf ro ro un
  Notice public update public       ok fb ro ro fb fb fb fb fb fb fb fb fb fb fb fb an nf ro ro un
  Report update done                ok nf ro ro nf nf nf nf nf nf nf nf nf ok nf nf an nf ro ro un
  Job update done                   ok nf ro ro nf nf nf nf nf nf nf nf nf nf ok nf an nf ro ro un
  Job update assignee               ok nf ro ro nf nf nf nf nf nf nf nf nf nf fb nf an nf ro ro un
  List wage                         ok ok nf nf nf no nf nf no no nf no no nf nf nf an nf ok no un
  List shareWith                    ok ok nf nf nf nu nf nf nu ok nf ok nu nf nf nf an nf ok ok un
  List filter wage                  ok ok uf nf uf uf uf uf uf uf uf uf uf nf uf uf an nf ok uf un
  List sort wage                    ok ok us nf us us us us us us us us us nf us us an nf ok us un
  List anchor                       ok ok nf nf nf ok nf nf ok ok nf ok ok nf nf nf an nf ok ok un
  List update color                 ok ok ro ro nf fb nf nf fb ok nf ok fb nf nf nf an nf ro ro un
  List hidden file                  ok ok ro ro nf fb nf nf fb ip nf ip fb nf nf nf an nf ro ro un
  List update wage                  ok ok ro ro nf ip nf nf ip ip nf ip ip nf nf nf an nf ro ro un
  List update seen                  ok ok ro ro nf ok nf nf ok ok nf ok ok nf nf nf an nf ro ro un
  List update isSubscribed          ok ok ro ro nf ok nf nf ok ok nf ok ok nf nf nf an nf ro ro un
  List update myRights              ip ip ro ro nf ip nf nf ip ip nf ip ip nf nf nf an nf ro ro un
  List update shareWith             ok ok ro ro nf fb nf nf fb ok nf ok fb nf nf nf an nf ro ro un
  Item move                         ok nf ro ro nf fb nf nf ok fb nf ok ok nf nf nf an nf ro ro un
  Item move to hidden               ok nf ro ro nf fb nf nf fb fb nf fb fb nf nf nf an nf ro ro un
  Item create hidden                ok fb ro ro fb fb fb fb fb fb fb fb fb fb fb fb an ip ro ro un
  List hidden reads                 ok ok nf nf nf nf nf nf nf nf nf nf nf nf nf nf an nf ok nf un
  List hidden update                ok ok ro ro nf nf nf nf nf nf nf nf nf nf nf nf an nf ro ro un
  Settings get                      ok ok ok ok nf nf nf nf nf nf nf nf nf nf nf nf an ok ok nf un
  Settings changes                  ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok an ok ok ok un
  Settings update                   ok ok ro ro nf nf nf nf nf nf nf nf nf nf nf nf an ok ro ro un
  List/count                        ok ok ok ok ns ns ns ns ns ns ns ns ns ns ns ns an ok ok ns un
  List/tidy                         ok ok ro ro ns ns ns ns ns ns ns ns ns ns ns ns an ok ro ns un
  Quota reads                       ok ok ok ok ns ns ns ns ns ns ns ns ns ns ns ns an ok ok ns un
  session                           ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok nf ok ok ok un
  Blob get                          ok ok nf nf nf ok nf nf ok ok nf ok ok nf nf nf an nf ok ok un
  Blob lookup                       ok ok nf nf nf ok nf nf ok ok nf ok ok nf nf nf an nf ok ok un
  Blob copy from                    ok ok nf nf nf ok nf nf ok ok nf ok ok nf nf nf an nf ro ro un
  Blob in upload                    ok ok ro ro ip ok ip ip ok ok ip ok ok ip ip ip an ip ro ro un
  Blob download                     ok ok nf nf nf ok nf nf ok ok nf ok ok nf nf nf nf nf ok ok un
  Blob hidden get                   ok ok nf nf nf nf nf nf nf nf nf nf nf nf nf nf an nf ok nf un
  Blob hidden lookup                ok ok nf nf nf nf nf nf nf nf nf nf nf nf nf nf an nf ok nf un
  Blob hidden copy from             ok ok nf nf nf nf nf nf nf nf nf nf nf nf nf nf an nf ro ro un
  Blob hidden in upload             ok ok ro ro ip ip ip ip ip ip ip ip ip ip ip ip an ip ro ro un
  Blob hidden download              ok ok nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf ok nf un
  Blob upload                       ok ok ro ro ok ok ok ok ok ok ok ok ok ok ok ok an ok ro ro un
  Blob copy to                      ok ok ro ro ok ok ok ok ok ok ok ok ok ok ok ok an ok ro ro un
  upload                            ok ok ro ro ok ok ok ok ok ok ok ok ok ok ok ok nf ok ro ro un
  Core echo                         ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok un
  own subscription                  ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok un
  another's subscription            nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf un
  destroy another's subscription    nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf nf un
  destroy own subscription          ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok un
  Principal reads                   ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok un
  Principal reads elsewhere         an an an an an an an an an an an an an an an an an an an an un
  Principal create                  fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb ro ro un
  Principal update                  fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb ro ro un
  Principal destroy                 fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb ro ro un
  ShareNotification reads           ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok un
  ShareNotification reads elsewhere an an an an an an an an an an an an an an an an an an an an un
  ShareNotification create          fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb ro ro un
  ShareNotification update          fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb ro ro un
  ShareNotification destroy         ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ro ro un
  Part destroy                      ok nf ro ro nf fb nf nf ok fb nf ok ok nf nf nf an nf ro ro un
  Item destroy                      ok nf ro ro nf fb nf nf fb fb nf ok fb nf nf nf an nf ro ro un
  List destroy                      ok fb ro ro nf fb nf nf fb fb nf ok fb nf nf nf an nf ro ro un
  Job destroy                       ok nf ro ro nf nf nf nf nf nf nf nf nf nf fb nf an nf ro ro un
  Draft destroy                     ok nf ro ro nf nf nf nf nf nf nf nf nf nf ok nf an nf ro ro un
  Report destroy                    ok nf ro ro nf nf nf nf nf nf nf nf nf fb nf nf an nf ro ro un
  Notice destroy                    ok nf ro ro nf nf nf nf nf nf nf nf nf nf nf nf an nf ro ro un
  Private destroy                   ok ok ro ro nf nf nf nf nf nf nf nf nf nf nf nf an nf ro ro un
  Plain destroy                     ok ok ro ro nf nf nf nf nf nf nf nf nf nf nf nf an nf ro ro un
  Notice public destroy             ok fb ro ro fb fb fb fb fb fb fb fb fb fb fb fb an nf ro ro un
`;

const [head = '', ...lines] = TABLE.trim().split('\n');
const COLUMNS = head.trim().split(/ +/);

/** Words by row and asker. */
export const WORDS: ReadonlyMap<string, ReadonlyMap<AskerName, string>> = new Map(
  lines.map((line) => {
    const cells = line.trim().split(/ +/);
    const words = cells.splice(-COLUMNS.length);
    return [
      cells.join(' '),
      new Map(ASKER_NAMES.map((asker) => [asker, words[COLUMNS.indexOf(asker)] ?? ''])),
    ];
  }),
);

const NAMES = [...TYPES, PUBLIC, TARGET, HIDDEN, 'Blob', 'Blob hidden'];

/** The rows that say whether something is seen, where its name is not that of the row. */
const SEEN: Readonly<Record<string, string>> = {
  Blob: 'Blob get',
  'Blob hidden': 'Blob hidden get',
  [TARGET]: 'List reads',
};

/** Returns what an asker can't see, by what it is called. */
export function hiddenFrom(asker: AskerName): ReadonlySet<string> {
  const rows = [...WORDS].filter(([, words]) =>
    ['nf', 'an', 'un'].includes(words.get(asker) ?? ''),
  );
  const hidden = new Set(rows.map(([row]) => row));
  const names = NAMES.filter((name) => hidden.has(SEEN[name] ?? `${name} reads`));
  return new Set(names);
}
