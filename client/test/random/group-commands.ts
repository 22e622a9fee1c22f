import type { JsonObject } from '../../../src/protocol/json.js';
import { markOf, marksIn } from './marks.js';
import { type Command, create, drawName, drawRow, follow, nameOf, type Scene } from './scene.js';
import type { AnyCreate, AnyRow, AnyWrite, TypeName } from './schema.js';
import { drawEdit, drawGadget } from './values.js';

/** The writes of a group, as its function makes them. */
interface Forms {
  create(values: JsonObject): AnyCreate;
  update(id: string, edit: JsonObject): AnyWrite;
}

type Transaction = Readonly<Record<TypeName, Forms>>;

/** Makes writes together. */
function writeGroup(scene: Scene, make: (tx: Transaction, group: string) => void): void {
  const { world, tab, accountId } = scene;
  const group = world.marks.next('m');
  tab.client.account(accountId).write((tx) => make(tx as unknown as Transaction, group));
}

function createIn(scene: Scene, forms: Forms, facts: GroupFacts, values: JsonObject): string {
  return create(scene, forms.create, facts, values).object.$key;
}

interface GroupFacts {
  readonly type: TypeName;
  readonly mark: string;
  readonly group: string;
}

function updateIn(scene: Scene, { Gadget }: Transaction, row: AnyRow, group: string): void {
  const { world, random } = scene;
  const mark = world.marks.next('t');
  const other = drawName(scene, 'Gadget');
  const edit = drawEdit(random, row, { mark, other });
  world.marks.mixed.add(markOf('Gadget', row) ?? '');
  const write = Gadget.update(nameOf(scene, row), edit as JsonObject);
  const names = other === null ? [] : [other];
  follow(scene, { mark, kind: 'update', type: 'Gadget', key: row.$key, names, group }, write);
}

/** Two writes of one type: the second may name what the first makes. */
function writeGadgets(scene: Scene): void {
  const { world, random } = scene;
  writeGroup(scene, (tx, group) => {
    let link: string | null = null;
    for (let count = 0; count < 2; count += 1) {
      const row = random.chance(0.5) ? drawRow(scene, 'Gadget') : null;
      if (row !== null) {
        updateIn(scene, tx, row, group);
        continue;
      }
      const mark = world.marks.next('m');
      const values = drawGadget(random, mark, { parent: drawName(scene, 'Gadget'), link });
      link = createIn(scene, tx.Gadget, { type: 'Gadget', mark, group }, values);
    }
  });
}

/** Writes of three types, one of which names another one. */
function writeTypes(scene: Scene): void {
  const { world } = scene;
  writeGroup(scene, (tx, group) => {
    const [mark, lineMark] = [world.marks.next('m'), world.marks.next('m')];
    const title = `${mark} b1`;
    const bookId = createIn(scene, tx.Book, { type: 'Book', mark, group }, { title });
    const values = { bookId, amount: Number(lineMark.slice(1)) };
    createIn(scene, tx.Line, { type: 'Line', mark: lineMark, group }, values);
    const row = drawRow(scene, 'Gadget');
    if (row !== null) updateIn(scene, tx, row, group);
  });
}

/** Writes that are made together, that ask for an unchanged object, and refused ones once more. */
export const GROUP_COMMANDS: Readonly<Record<string, Command>> = {
  writeGadgets: { weight: 4, run: writeGadgets },
  writeTypes: { weight: 2, run: writeTypes },
  updateUnchanged: {
    weight: 5,
    run(scene) {
      const row = drawRow(scene, 'Gadget');
      if (row === null) return;
      const { world, tab, accountId, random } = scene;
      const mark = world.marks.next('t');
      const edit = drawEdit(random, row, { mark, other: null });
      world.marks.mixed.add(markOf('Gadget', row) ?? '');
      const { update } = tab.client.account(accountId).Gadget;
      const write = update(nameOf(scene, row), edit as JsonObject, { ifUnchanged: true });
      const common = { key: row.$key, names: [], isChecked: true } as const;
      follow(scene, { mark, kind: 'update', type: 'Gadget', ...common }, write);
    },
  },
  retry: {
    weight: 2,
    run({ world, tab }) {
      const { marks } = world;
      // A tab that is frozen doesn't know what others have made of a problem.
      if (tab.isFrozen) return;
      const problem = tab.client.problems.getSnapshot().find(({ type, values, error }) => {
        const names = marksIn(type, values);
        // Of an account that was gone, nobody knows what has been made.
        return error.type !== 'accountNotFound' && !names.some((mark) => marks.repeated.has(mark));
      });
      if (problem === undefined) return;
      const { type, kind, key, values } = problem;
      world.trace(`${tab.name} retries ${kind} ${type} ${key}`);
      for (const mark of marksIn(type, values)) {
        marks.repeated.add(mark);
        if (kind !== 'update' || mark[0] === 't') marks.open.add(mark);
      }
      problem.retry();
    },
  },
};
