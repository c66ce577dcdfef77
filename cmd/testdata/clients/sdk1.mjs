// The client of the TypeScript SDK 1.x, which begins with initialize.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

export const connect = async ({ as, server }) => {
  const client = new Client({ name: as, version: '1' });
  await client.connect(new StdioClientTransport(server));
  return client;
};

export const call = (client, params, options) => client.callTool(params, undefined, options);
