/**
 * Ctrl-C and SIGTERM: cleans up and ends as a shell expects it; gives back what takes the handlers
 * away.
 */
export function onSignals(cleanUp: () => void): () => void {
  const numbers = { SIGINT: 2, SIGTERM: 15 } as const;
  const handlers = Object.entries(numbers).map(([name, number]) => {
    const end = (): void => {
      cleanUp();
      process.exit(128 + number);
    };
    process.once(name, end);
    return () => process.removeListener(name, end);
  });
  return () => {
    for (const remove of handlers) remove();
  };
}
