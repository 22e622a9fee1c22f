// Runs in a page: an EventSource, which needs a new ticket for each connection. It keeps what it
// was told in `window.native`.
window.followNatively = (jmap, token) => {
  const native = { id: '', states: [], tickets: [], opened: 0 };
  window.native = native;
  const open = async () => {
    try {
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await fetch(`${jmap}/jmap/ticket`, { method: 'POST', headers });
      const { ticket } = await answer.json();
      native.tickets.push(ticket);
      const url = new URL(`${jmap}/jmap/eventsource?types=Item&closeafter=no&ping=0`);
      url.searchParams.set('ticket', ticket);
      if (native.id !== '') url.searchParams.set('lastEventId', native.id);
      const source = new EventSource(url);
      source.onopen = () => {
        native.opened += 1;
      };
      source.addEventListener('state', ({ data, lastEventId }) => {
        native.id = lastEventId;
        native.states.push(...Object.values(JSON.parse(data).changed).map(({ Item }) => Item));
      });
      source.onerror = () => {
        source.close();
        setTimeout(open, 500);
      };
    } catch {
      setTimeout(open, 500);
    }
  };
  return open();
};
