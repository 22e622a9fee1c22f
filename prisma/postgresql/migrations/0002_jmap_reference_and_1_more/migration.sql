-- AlterTable
ALTER TABLE "JmapState" ADD COLUMN     "objects" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "JmapReference" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "toType" TEXT COLLATE "C" NOT NULL,
    "toId" TEXT COLLATE "C" NOT NULL,
    "fromType" TEXT COLLATE "C" NOT NULL,
    "property" TEXT COLLATE "C" NOT NULL,
    "fromId" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "JmapReference_pkey" PRIMARY KEY ("accountId","toType","toId","fromType","property","fromId")
);

-- CreateIndex
CREATE INDEX "JmapReference_accountId_fromType_property_fromId_idx" ON "JmapReference"("accountId", "fromType", "property", "fromId");

-- How many objects there are.
UPDATE "JmapState" SET "objects" = (
  SELECT count(*) FROM "Note" AS "t" WHERE "t"."accountId" = "JmapState"."accountId"
) WHERE "type" = 'Note';
UPDATE "JmapState" SET "objects" = (
  SELECT count(*) FROM "Todo" AS "t" WHERE "t"."accountId" = "JmapState"."accountId"
) WHERE "type" = 'Todo';
