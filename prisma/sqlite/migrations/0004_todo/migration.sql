
-- The table in the order of its key.
CREATE TABLE "new_Todo" (
    "accountId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "created" BIGINT NOT NULL,
    "updated" BIGINT NOT NULL,
    "done" BOOLEAN NOT NULL DEFAULT false,
    "text" TEXT NOT NULL,
    "text_folded" TEXT NOT NULL DEFAULT '',
    "text_casemap" TEXT NOT NULL DEFAULT '',

    PRIMARY KEY ("accountId", "id")
) WITHOUT ROWID;
INSERT INTO "new_Todo" ("accountId", "id", "created", "updated", "done", "text", "text_folded", "text_casemap") SELECT "accountId", "id", "created", "updated", "done", "text", "text_folded", "text_casemap" FROM "Todo" ORDER BY "accountId", "id";
DROP TABLE "Todo";
ALTER TABLE "new_Todo" RENAME TO "Todo";
