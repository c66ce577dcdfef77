// The client of the TypeScript SDK 2.x. Its mode says which era it speaks, or that it finds out.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const connect = async ({ as, server, mode }) => {
  const client = new Client({ name: as, version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport(server));
  return client;
};

export const call = (client, params, options) => client.callTool(params, options);
