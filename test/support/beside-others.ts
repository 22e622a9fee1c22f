import { conductor } from './conductor.js';

/** Works that take turns with `run`. */
export const OTHERS = 200;

/**
 * Has others take turns while `run` does; resolves to the turns that they have had when it ends.
 * `turns` is how many they have had so far.
 */
export async function besideOthers(
  run: (turns: () => number) => Promise<unknown>,
): Promise<number> {
  let turns = 0;
  let isOver = false;
  const other = async (): Promise<void> => {
    while (!isOver) {
      await conductor.awaitTurn();
      turns += 1;
    }
  };
  const others = Array.from({ length: OTHERS }, other);
  await conductor.awaitTurn();
  turns = 0;
  try {
    await run(() => turns);
    return turns;
  } finally {
    isOver = true;
    await Promise.all(others);
  }
}
