// Drives one of the clients beside this file for a test: a JSON request a line on standard input, a JSON answer a line on
// standard output. Requests are carried out as they come; an answer carries the number of its request.
import { createInterface } from 'node:readline';

const sdk = await import(`./${process.argv[2]}.mjs`);
const calls = new Map();
let client;

const operations = {
  async connect(request) {
    client = await sdk.connect(request);
  },
  async tools() {
    const { tools } = await client.listTools();
    return tools;
  },
  async call({ number, params, timeout }) {
    const stop = new AbortController();
    calls.set(number, stop);
    try {
      return await sdk.call(client, params, { signal: stop.signal, timeout });
    } finally {
      calls.delete(number);
    }
  },
  async abort({ call }) {
    calls.get(call)?.abort();
  },
  async close() {
    await client.close();
  },
};

const answer = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

createInterface({ input: process.stdin }).on('line', async (line) => {
  const request = JSON.parse(line);
  try {
    answer({ number: request.number, result: await operations[request.operation](request) });
  } catch (error) {
    answer({ number: request.number, error: { code: String(error.code ?? ''), message: error.message } });
  }
});
