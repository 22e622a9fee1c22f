-- DropIndex
DROP INDEX "JmapUserValue_userId_idx";

-- CreateTable
CREATE TABLE "JmapGroup" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "created" BIGINT NOT NULL,

    CONSTRAINT "JmapGroup_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "JmapMember" (
    "userId" TEXT COLLATE "C" NOT NULL,
    "groupId" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "JmapMember_pkey" PRIMARY KEY ("userId","groupId")
);

-- CreateIndex
CREATE UNIQUE INDEX "JmapGroup_name_key" ON "JmapGroup"("name");

-- CreateIndex
CREATE INDEX "JmapMember_groupId_idx" ON "JmapMember"("groupId");
