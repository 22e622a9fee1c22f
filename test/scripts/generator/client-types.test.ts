import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compile, createProject, REPOSITORY, readTree, WITH_CLIENT } from './project.js';

/** The application of a front-end: what compiles, and what doesn't. */
const USE = `
import type { Client, Id } from '@jmapsmith/client';
import type {
  CardPatch, Line, MapsWrapping, Order, OrderShape, Product, ProductCreate, ProductPatch,
  ProductShape, Project, ShopWrapping,
} from './generated/client/index.js';
import { connect, schema } from './generated/client/index.js';

export async function use(jmap: Client<Project>): Promise<void> {
  const me = jmap.account();
  const { found, orders } = await me.batch((b) => {
    const filter = { name: 'a', kind: ['toy'] };
    const found = b.Product.query({ filter, sort: ['-name', 'price'] });
    const orders = b.Order.query({ filter: { watches: 'x' }, collapse: true });
    b.Order.get({ ids: orders.ids, near: 'here' });
    b.Order.send({ ids: orders.ids });
    // @ts-expect-error ids of products
    b.Order.send({ ids: found.ids });
    return { found, orders };
  });
  const slow: boolean = orders.slow;
  const productId: Id<'Product'> | undefined = found.ids[0];
  const { sent } = await me.Order.send({ ids: ['a'], how: { colour: 'red' } });
  const sentId: Id<'Order'> | undefined = sent[0];
  const { around } = await me.Geo.lookup({ name: 'x' });
  const sides: number | undefined = around.sides;
  await me.Geo.refresh({});
  await me.Order.locate({ id: 'a' });
  await me.Product.copy({ fromAccountId: 'a', create: { k: { id: 'x', stock: 1 } } });
  await me.Settings.set({ update: { singleton: { theme: 'dark' } } });
  await me.Entry.query();

  // @ts-expect-error no such property
  await me.Product.get({ properties: ['nope'] });
  // @ts-expect-error no such condition
  await me.Product.query({ filter: { nope: 1 } });
  // @ts-expect-error a wrong value of a condition
  await me.Product.query({ filter: { kind: 'toy' } });
  // @ts-expect-error the type has no conditions
  await me.Entry.query({ filter: { text: 'a' } });
  // @ts-expect-error no such sort
  await me.Product.query({ sort: ['stock'] });
  // @ts-expect-error the sort needs the member
  await me.Order.query({ sort: [{ property: 'watched' }] });
  // @ts-expect-error the type has no sorts
  await me.Entry.query({ sort: ['created'] });
  // @ts-expect-error a wrong value of a patch
  await me.Product.set({ update: { a: { stock: 'many' } } });
  // @ts-expect-error an immutable property
  await me.Product.set({ update: { a: { code: 'b' } } });
  // @ts-expect-error the server sets it
  await me.Product.set({ update: { a: { sold: 1 } } });
  // @ts-expect-error a type without copies
  await me.Order.copy({ fromAccountId: 'a', create: {} });
  // @ts-expect-error a singleton is never looked for
  await me.Settings.query();
  // @ts-expect-error a type that clients don't write
  await me.Entry.set({});
  // @ts-expect-error the account gives its id
  await me.Order.send({ accountId: 'a', ids: [] });
  // @ts-expect-error it has no arguments
  await me.Geo.refresh({ name: 'x' });
  // @ts-expect-error no such argument of this type
  await me.Product.query({ collapse: true });
  void [slow, productId, sentId, sides];
}

export function judge(product: Product, order: Order): void {
  const label: string = product.label;
  const history: readonly object[] | undefined = product.history;
  const price: number | undefined = product['price:EUR'];
  const nickname: string | undefined = product.nickname;
  const blobId: Id<'Blob'> | null = product.photoBlobId;
  const line: Line | undefined = order.lines[0];
  const wrapping: ShopWrapping | undefined = line?.gift;
  // @ts-expect-error the definition of another descriptor
  const wrong: MapsWrapping = { colour: 'red' };
  // @ts-expect-error the secret is in no object
  product.supplierKey;
  // @ts-expect-error an internal property
  product.margin;
  // @ts-expect-error an id of another type
  const orderId: Id<'Order'> = product.id;
  // @ts-expect-error the id of an object is none of a blob
  const photos: ProductCreate['photos'] = { [product.id]: true } satisfies Record<Id<'Blob'>, true>;
  if (line !== undefined) {
    const productId: Id<'Product'> = line.productId;
    // @ts-expect-error an id of another type, within a list of objects
    const other: Id<'Order'> = line.productId;
    void [productId, other];
  }
  // @ts-expect-error an id of another type, in a list
  const related: readonly Id<'Product'>[] = order.relatedIds;
  for (const note of Object.values(order.notes)) note.trim();
  if (order.payment?.by === 'card') order.payment.last4.trim();
  // @ts-expect-error objects are never changed
  product.name = 'x';
  void [label, history, price, nickname, blobId, wrapping, wrong, orderId, photos, related];
}

export const create: ProductCreate = { name: 'x', code: 'a', supplierKey: 'k', 'odd name': true };
// @ts-expect-error the code is missing
export const bare: ProductCreate = { name: 'x' };
// @ts-expect-error the server sets it
export const sold: ProductCreate = { name: 'x', code: 'a', sold: 1 };
// @ts-expect-error the server computes it
export const labelled: ProductCreate = { name: 'x', code: 'a', label: 'y' };
// @ts-expect-error an internal property
export const costly: ProductCreate = { name: 'x', code: 'a', margin: 1 };
// @ts-expect-error absent is not undefined
export const nameless: ProductCreate = { name: 'x', code: 'a', nickname: undefined };

export const patch: ProductPatch = { stock: null, 'photos/x': true };
// @ts-expect-error a patch gives a value or null
export const absent: ProductPatch = { stock: undefined };
// @ts-expect-error every product has a name
export const unnamed: ProductPatch = { name: null };
// @ts-expect-error a text has no members
export const deeper: ProductPatch = { 'name/first': 'x' };
export const unknown: CardPatch = { title: 'x', 'example.com:more': 1 };
// @ts-expect-error a declared property keeps its type
export const untitled: CardPatch = { title: 1 };

export function explain(error: ProductShape['error'], other: OrderShape['error']): string {
  if (error.type === 'soldOut') return String(error.stock + 1);
  if (error.type === 'invalidProperties') {
    const names: readonly (keyof ProductCreate)[] = error.properties ?? [];
    return names.join();
  }
  // @ts-expect-error an error of another type's own
  return other.type === 'soldOut' ? '' : error.type;
}

export const jmap = connect({ url: 'https://api.example.com', token: 'x' });
export const names: readonly string[] = schema.types.map(({ name }) => name);
`;

const CONFIG = {
  extends: join(REPOSITORY, 'client/tsconfig.json'),
  compilerOptions: { rootDir: '/', types: [] },
  include: ['generated/client', 'use.ts'],
};

it('the client passes the strictest compiler, and refuses what the server would', async () => {
  const folder = join(REPOSITORY, 'test/golden/client/shop/capabilities');
  const project = await createProject(await readTree(folder));
  await project.write('package.json', WITH_CLIENT);
  await mkdir(join(project.root, 'node_modules/@jmapsmith'));
  await symlink(join(REPOSITORY, 'client'), join(project.root, 'node_modules/@jmapsmith/client'));
  expect(await project.generate()).toMatchObject({ code: 0 });
  await project.write('use.ts', USE);
  await project.write('tsconfig.json', JSON.stringify(CONFIG));
  expect(await compile(project.root)).toBe('');
});
