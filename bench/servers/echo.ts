import { createServer, type Server } from 'node:http';
import express, { type Express } from 'express';

/** The bare transport: a body is collected, parsed and answered. */
export function echoServer(): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const only = chunks.length === 1 ? chunks[0] : undefined;
      const value: unknown = JSON.parse((only ?? Buffer.concat(chunks)).toString('utf8'));
      const text = JSON.stringify(value);
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    });
  });
}

export function echoApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(express.json());
  app.post('/jmap', (request, response) => {
    response.json(request.body);
  });
  return app;
}
