import type { JsonObject } from '../../../src/protocol/json.js';
import { markOf } from './marks.js';
import {
  type Command,
  create,
  destroy,
  drawName,
  drawRow,
  follow,
  nameOf,
  type Scene,
} from './scene.js';
import type { TypeName } from './schema.js';
import { drawEdit, drawGadget } from './values.js';

function createOne(scene: Scene, type: TypeName, mark: string, values: JsonObject): void {
  const forms = scene.tab.client.account(scene.accountId)[type];
  create(scene, forms.create, { type, mark }, values);
}

/** Writes by a client, one at a time. */
export const WRITE_COMMANDS: Readonly<Record<string, Command>> = {
  create: {
    weight: 12,
    run(scene) {
      const mark = scene.world.marks.next('m');
      const parent = drawName(scene, 'Gadget');
      const link = drawName(scene, 'Gadget');
      createOne(scene, 'Gadget', mark, drawGadget(scene.random, mark, { parent, link }));
    },
  },
  createBook: {
    weight: 3,
    run(scene) {
      const mark = scene.world.marks.next('m');
      createOne(scene, 'Book', mark, { title: `${mark} b${scene.random.integer(0, 9)}` });
    },
  },
  createLine: {
    weight: 5,
    run(scene) {
      const book = drawRow(scene, 'Book');
      if (book === null) return;
      const mark = scene.world.marks.next('m');
      const amount = Number(mark.slice(1));
      createOne(scene, 'Line', mark, { bookId: nameOf(scene, book), amount });
    },
  },
  update: {
    weight: 22,
    run(scene) {
      const row = drawRow(scene, 'Gadget');
      if (row === null) return;
      const { world, tab, accountId, random } = scene;
      const mark = world.marks.next('t');
      const other = drawName(scene, 'Gadget');
      const edit = drawEdit(random, row, { mark, other });
      const key = nameOf(scene, row);
      world.marks.mixed.add(markOf('Gadget', row) ?? '');
      const write = tab.client.account(accountId).Gadget.update(key, edit as JsonObject);
      const names = other === null ? [] : [other];
      follow(scene, { mark, kind: 'update', type: 'Gadget', key: row.$key, names }, write);
    },
  },
  destroy: {
    weight: 6,
    run(scene) {
      const type = scene.random.pick(['Gadget', 'Gadget', 'Book', 'Line'] as const);
      const row = drawRow(scene, type);
      if (row !== null) destroy(scene, type, row);
    },
  },
};
