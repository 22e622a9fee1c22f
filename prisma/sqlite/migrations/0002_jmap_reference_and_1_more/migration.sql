-- CreateTable
CREATE TABLE "JmapReference" (
    "accountId" TEXT NOT NULL,
    "toType" TEXT NOT NULL,
    "toId" TEXT NOT NULL,
    "fromType" TEXT NOT NULL,
    "property" TEXT NOT NULL,
    "fromId" TEXT NOT NULL,

    PRIMARY KEY ("accountId", "toType", "toId", "fromType", "property", "fromId")
) WITHOUT ROWID;

-- RedefineTables
CREATE TABLE "new_JmapState" (
    "accountId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "objects" BIGINT NOT NULL DEFAULT 0,

    PRIMARY KEY ("accountId", "type")
) WITHOUT ROWID;
INSERT INTO "new_JmapState" ("accountId", "number", "type") SELECT "accountId", "number", "type" FROM "JmapState";
DROP TABLE "JmapState";
ALTER TABLE "new_JmapState" RENAME TO "JmapState";

-- CreateIndex
CREATE INDEX "JmapReference_accountId_fromType_property_fromId_idx" ON "JmapReference"("accountId", "fromType", "property", "fromId");

-- How many objects there are.
UPDATE "JmapState" SET "objects" = (
  SELECT count(*) FROM "Note" AS "t" WHERE "t"."accountId" = "JmapState"."accountId"
) WHERE "type" = 'Note';
UPDATE "JmapState" SET "objects" = (
  SELECT count(*) FROM "Todo" AS "t" WHERE "t"."accountId" = "JmapState"."accountId"
) WHERE "type" = 'Todo';
